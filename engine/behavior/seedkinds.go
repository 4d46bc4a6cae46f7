package behavior

import (
	"fmt"
	"strconv"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// The kinds of the seed's example (seed 002 §1). What they ask and send is ours.

var researcherKind = Kind{
	Name: "researcher", Summary: "looks a question up and asks a model about what it found",
	Receives: []string{"task {question}"},
	Ports:    []Port{{"out", "research {question, text, sources}"}},
	Config:   append([]Field{{"limit", "integer", "effects.search.limit, else 3", "how many hits to ask for"}}, llmDocs...),
	State:    `{"pending":[{"question","stage"…}],"last":{"question","sources"}|null}`,
	Effects:  []string{"search", "llm"},
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		r.llmFields()
		r.positive("limit", 3)
		b := &researcher{ignore: r.tags("ignore"), prompt: parseTemplate(r.text("prompt", "Answer the question: {question}\nUse these sources:\n{hits}"), "question", "hits")}
		return b, r.done()
	},
}

type researcher struct {
	ignore map[string]bool
	prompt template
}

func (b *researcher) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	w := readWork(c.State)
	switch c.Message.Tag {
	case "task":
		question, err := text(c.Message.Payload, "question")
		if err != nil {
			return Result{}, err
		}
		w.push(canon.Object(canon.Member{Key: "question", Value: canon.String(question)}, canon.Member{Key: "stage", Value: canon.String("search")}))
		return Result{State: w.value(), Effect: &Effect{Op: "search", Input: canon.Object(canon.Member{Key: "query", Value: canon.String(question)})}}, nil
	case trace.TagEffect:
		return b.answer(w, c.Message.Payload)
	}
	return Result{}, unexpected(c.Message.Tag, "task")
}

func (b *researcher) answer(w work, answer canon.Value) (Result, error) {
	item, err := w.pop()
	if err != nil {
		return Result{}, err
	}
	question := item.Get("question")
	if item.Get("stage").Text() == `"search"` {
		prompt, sources, err := b.readHits(question, answer)
		if err != nil {
			return Result{}, err
		}
		w.push(canon.Object(canon.Member{Key: "question", Value: question}, canon.Member{Key: "sources", Value: sources}, canon.Member{Key: "stage", Value: canon.String("llm")}))
		return Result{State: w.value(), Effect: askLLM("You are a researcher. Answer from the sources given.", prompt)}, nil
	}
	said, err := answerText(answer)
	if err != nil {
		return Result{}, err
	}
	sources := item.Get("sources")
	w.last = canon.Object(canon.Member{Key: "question", Value: question}, canon.Member{Key: "sources", Value: sources})
	payload := canon.Object(canon.Member{Key: "question", Value: question}, canon.Member{Key: "sources", Value: sources}, canon.Member{Key: "text", Value: canon.String(said)})
	return Result{State: w.value(), Sends: []trace.Send{{Port: "out", Tag: "research", Payload: payload}}}, nil
}

// readHits makes the prompt from a search answer {hits:[{title, url, snippet}]}, and the list of urls.
func (b *researcher) readHits(question, answer canon.Value) (prompt string, sources canon.Value, err error) {
	hits := answer.Get("hits")
	if hits.Kind() != canon.KindArray {
		return "", sources, fmt.Errorf("the search answer has no hits: %s", preview(answer))
	}
	var lines strings.Builder
	var urls []canon.Value
	for i, h := range hits.Elems() {
		title, _ := h.Get("title").Str()
		snippet, _ := h.Get("snippet").Str()
		for _, part := range [...]string{strconv.Itoa(i + 1), ". ", title, ": ", snippet, "\n"} {
			lines.WriteString(part)
		}
		if u := h.Get("url"); u.Kind() == canon.KindString {
			urls = append(urls, u)
		}
	}
	q, _ := question.Str()
	return b.prompt.fill("question", q, "hits", lines.String()), canon.Array(urls...), nil
}

var criticKind = Kind{
	Name: "critic", Summary: "asks a model to judge a text and passes text, score and notes on",
	Receives: []string{"research {text, question?, sources?}"},
	Ports:    []Port{{"out", "critique {text, score, notes}"}},
	Config:   llmDocs,
	State:    `{"pending":[{"text"…}],"last":{"score","notes"}|null}`,
	Effects:  []string{"llm"},
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		r.llmFields()
		b := &critic{ignore: r.tags("ignore"), prompt: parseTemplate(r.text("prompt", "Judge this answer and give a score between 0 and 1.\nQuestion: {question}\nAnswer: {text}"), "question", "text")}
		return b, r.done()
	},
}

type critic struct {
	ignore map[string]bool
	prompt template
}

func (b *critic) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	w := readWork(c.State)
	switch c.Message.Tag {
	case "research":
		said, err := text(c.Message.Payload, "text")
		if err != nil {
			return Result{}, err
		}
		question, _ := c.Message.Payload.Get("question").Str()
		w.push(canon.Object(canon.Member{Key: "text", Value: c.Message.Payload.Get("text")}))
		return Result{State: w.value(), Effect: askLLM("You are a critic. Be brief and exact.", b.prompt.fill("question", question, "text", said))}, nil
	case trace.TagEffect:
		item, err := w.pop()
		if err != nil {
			return Result{}, err
		}
		notes, err := answerText(c.Message.Payload)
		if err != nil {
			return Result{}, err
		}
		s, n := canon.Member{Key: "score", Value: score(c.Message.Payload, notes)}, canon.Member{Key: "notes", Value: canon.String(notes)}
		w.last = canon.Object(n, s)
		return Result{State: w.value(), Sends: []trace.Send{{Port: "out", Tag: "critique", Payload: canon.Object(n, s, canon.Member{Key: "text", Value: item.Get("text")})}}}, nil
	}
	return Result{}, unexpected(c.Message.Tag, "research")
}

var writerKind = Kind{
	Name: "writer", Summary: "asks a model to write an article from a critique",
	Receives: []string{"critique {text, score?, notes?}"},
	Ports:    []Port{{"out", "article {text}"}},
	Config:   llmDocs,
	State:    `{"pending":[{"score"}],"last":{"score"}|null}`,
	Effects:  []string{"llm"},
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		r.llmFields()
		b := &writer{ignore: r.tags("ignore"), prompt: parseTemplate(r.text("prompt", "Write a short article.\nDraft: {text}\nNotes: {notes}\nScore: {score}"), "text", "notes", "score")}
		return b, r.done()
	},
}

type writer struct {
	ignore map[string]bool
	prompt template
}

func (b *writer) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	w := readWork(c.State)
	switch c.Message.Tag {
	case "critique":
		draft, err := text(c.Message.Payload, "text")
		if err != nil {
			return Result{}, err
		}
		notes, _ := c.Message.Payload.Get("notes").Str()
		s := c.Message.Payload.Get("score")
		w.push(canon.Object(canon.Member{Key: "score", Value: s}))
		return Result{State: w.value(), Effect: askLLM("You are a writer. Write plainly.", b.prompt.fill("text", draft, "notes", notes, "score", s.Text()))}, nil
	case trace.TagEffect:
		item, err := w.pop()
		if err != nil {
			return Result{}, err
		}
		article, err := answerText(c.Message.Payload)
		if err != nil {
			return Result{}, err
		}
		w.last = item
		return Result{State: w.value(), Sends: []trace.Send{{Port: "out", Tag: "article", Payload: canon.Object(canon.Member{Key: "text", Value: canon.String(article)})}}}, nil
	}
	return Result{}, unexpected(c.Message.Tag, "critique")
}
