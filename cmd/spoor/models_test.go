package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// A modelServer speaks to spoor run as OpenAI and as Anthropic do. What it
// answers depends on the name of the model:
//
//	talk     repeats the last message, and how many the request has
//	worker   calls read_port, and then tells the result
//	busy     is overloaded at its first request, and then talks
//	short    is cut off by a limit of tokens
//	parrot   repeats the key
//	locked   takes no key, and repeats it
//	mute     cannot call tools
//	page     is a page of HTML
//	hung     says a word, and no more
//
// and there are no others.
func modelServer() *httptest.Server {
	var busy atomic.Bool
	busy.Store(true)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked struct {
			Model    string
			Messages []struct {
				Role    string
				Content any
			}
		}
		if json.Unmarshal(body, &asked) != nil || len(asked.Messages) == 0 {
			http.Error(w, "no request", http.StatusBadRequest)
			return
		}
		fail := func(status int, message string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message}})
		}
		anthropic := strings.HasSuffix(r.URL.Path, "/messages")
		chunk := func(delta, finish string) {
			fmt.Fprintf(w, "data: {\"model\":%q,\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", asked.Model+"-1", delta, finish)
			w.(http.Flusher).Flush()
		}
		says := func(text, stop string) {
			w.Header().Set("Content-Type", "text/event-stream")
			quoted, _ := json.Marshal(text)
			if anthropic {
				for _, e := range []string{
					`{"type":"message_start","message":{"model":"` + asked.Model + `-1","usage":{"input_tokens":1,"output_tokens":1}}}`,
					`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
					`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(quoted) + `}}`,
					`{"type":"content_block_stop","index":0}`,
					`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`,
					`{"type":"message_stop"}`,
				} {
					kind := strings.Split(e, `"`)[3]
					fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, e)
				}
				return
			}
			chunk(`{"content":`+string(quoted)+`}`, "null")
			chunk("{}", `"`+stop+`"`)
			io.WriteString(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
		}
		last := asked.Messages[len(asked.Messages)-1]
		talk := func() {
			content, _ := json.Marshal(last.Content)
			says(fmt.Sprintf("%d messages, the last %s", len(asked.Messages), content), "stop")
		}
		switch asked.Model {
		case "talk":
			talk()
		case "worker":
			for _, m := range asked.Messages {
				if m.Role == "tool" {
					says(fmt.Sprint("It says ", m.Content), "stop")
					return
				}
			}
			w.Header().Set("Content-Type", "text/event-stream")
			chunk(`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"read_port","arguments":"{\"n\":9007199254740993}"}}]}`, "null")
			chunk("{}", `"tool_calls"`)
			io.WriteString(w, "data: [DONE]\n\n")
		case "busy":
			if busy.Swap(false) {
				w.Header().Set("Retry-After-Ms", "1")
				fail(http.StatusServiceUnavailable, "all slots are taken")
				return
			}
			talk()
		case "short":
			says("It was a dark", "length")
		case "parrot":
			says("The key is "+r.Header.Get("Authorization"), "stop")
		case "locked":
			fail(http.StatusUnauthorized, "this key is wrong: "+r.Header.Get("Authorization"))
		case "mute":
			fail(http.StatusBadRequest, "mute does not support tools")
		case "hung":
			w.Header().Set("Content-Type", "text/event-stream")
			chunk(`{"content":"Well"}`, "null")
			<-r.Context().Done()
		case "page":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>Welcome</html>")
		default:
			fail(http.StatusNotFound, "there is no model "+asked.Model)
		}
	}))
}

// nowhere holds that a text is in no file of a folder.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nowhere TEXT FOLDER")
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), args[0]) {
			ts.Fatalf("%s has %s", path, args[0])
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("there is no file in %s", args[1])
	}
}
