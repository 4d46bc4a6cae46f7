package trace

// inbox is a FIFO of messages that can also be undone at both ends. Popped slots stay in front until the queue is
// compacted, so that undoing a receive is usually one step back.
type inbox struct {
	buf  []Message
	head int
}

func (q *inbox) len() int { return len(q.buf) - q.head }

func (q *inbox) at(i int) Message { return q.buf[q.head+i] }

func (q *inbox) push(m Message) {
	if q.head > 32 && q.head > len(q.buf)/2 {
		n := copy(q.buf, q.buf[q.head:])
		clear(q.buf[n:])
		q.buf, q.head = q.buf[:n], 0
	}
	q.buf = append(q.buf, m)
}

func (q *inbox) pop() Message {
	m := q.buf[q.head]
	q.buf[q.head] = Message{}
	q.head++
	if q.head == len(q.buf) {
		q.buf, q.head = q.buf[:0], 0
	}
	return m
}

// unpop puts m back in front.
func (q *inbox) unpop(m Message) {
	if q.head > 0 {
		q.head--
		q.buf[q.head] = m
		return
	}
	grow := len(q.buf)/2 + 4
	buf := make([]Message, grow+len(q.buf), 2*grow+len(q.buf))
	copy(buf[grow:], q.buf)
	buf[grow-1] = m
	q.buf, q.head = buf, grow-1
}

// unpush takes the last message away again.
func (q *inbox) unpush() Message {
	last := len(q.buf) - 1
	m := q.buf[last]
	q.buf[last] = Message{}
	q.buf = q.buf[:last]
	if q.head == len(q.buf) {
		q.buf, q.head = q.buf[:0], 0
	}
	return m
}

// remove takes the i-th waiting message out; insert puts it back. Both are for a person's edits, not for runs.
func (q *inbox) remove(i int) Message {
	at := q.head + i
	m := q.buf[at]
	copy(q.buf[at:], q.buf[at+1:])
	q.buf[len(q.buf)-1] = Message{}
	q.buf = q.buf[:len(q.buf)-1]
	return m
}

func (q *inbox) insert(i int, m Message) {
	at := q.head + i
	q.buf = append(q.buf, Message{})
	copy(q.buf[at+1:], q.buf[at:])
	q.buf[at] = m
}

func (q *inbox) clone() inbox {
	return inbox{buf: append([]Message(nil), q.buf[q.head:]...)}
}
