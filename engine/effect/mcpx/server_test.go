package mcpx

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the server under test: FLOWDBG_TEST_SERVER names how it misbehaves.
const testServer = "FLOWDBG_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(testServer); mode != "" {
		serve(mode)
		return
	}
	os.Exit(m.Run())
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// serve is a server written by hand, so that it can do what an SDK would not let it do.
func serve(mode string) {
	switch mode {
	case "silent":
		time.Sleep(time.Hour)
	case "exits":
		fmt.Fprintln(os.Stderr, "no such database")
		os.Exit(3)
	case "slow":
		time.Sleep(300 * time.Millisecond)
	case "flood":
		go func() {
			line := strings.Repeat("noise ", 200) + "\n"
			for {
				fmt.Fprint(os.Stderr, line)
			}
		}()
	case "stubborn": // ignores everything but SIGKILL, and so does its child
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), testServer+"=silent")
		if err := child.Start(); err != nil {
			os.Exit(4)
		}
		if err := os.WriteFile(os.Getenv("PIDS"), fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600); err != nil {
			os.Exit(5)
		}
	case "greeting":
		fmt.Println("Listening on stdio …")
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if mode == "stubborn" {
				time.Sleep(time.Hour)
			}
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		answer(mode, m)
	}
}

func answer(mode string, m message) {
	reply := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result) }
	switch m.Method {
	case "initialize":
		reply(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"9"},"_meta":{"ai-norm.com/contract_version":2,"x":9007199254740993}}`)
	case "tools/list":
		if strings.Contains(string(m.Params), `"cursor":"2"`) {
			reply(`{"tools":[{"name":"second","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`)
			return
		}
		reply(`{"tools":[{"name":"echo","inputSchema":{"type":"object"},"_meta":{"ai-norm.com/contract_versions":[2,3],"big":9007199254740993}}],"nextCursor":"2"}`)
	case "tools/call":
		call(mode, m, reply)
	default:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no method %s"}}`+"\n", m.ID, m.Method)
	}
}

func call(mode string, m message, reply func(string)) {
	switch mode {
	case "vanishes":
		fmt.Fprintln(os.Stderr, "fatal: out of "+os.Getenv("TOKEN"))
		os.Exit(7)
	case "garbage":
		fmt.Println("DEBUG: \x1b[31mcalling\x1b[0m")
		time.Sleep(time.Hour)
	case "huge":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
		block := strings.Repeat("x", 1<<20)
		for range 50 {
			if _, err := fmt.Print(block); err != nil {
				os.Exit(1)
			}
		}
		fmt.Println(`"}]}}`)
	case "stalls":
		time.Sleep(time.Hour)
	case "refuses":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown tool"}}`+"\n", m.ID)
	case "text":
		reply(`"just text"`)
	case "isError":
		reply(`{"content":[{"type":"text","text":"no"}],"isError":true}`)
	case "odd": // a content block that no SDK knows, and an integer that float64 cannot hold
		reply(`{"content":[{"type":"hologram","data":1}],"structuredContent":{"n":9007199254740993}}`)
	default:
		reply(`{"content":[],"structuredContent":` + string(m.Params) + `}`)
	}
}
