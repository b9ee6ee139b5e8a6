package wiretest

import (
	"io"
	"net/http"
	"strings"

	"github.com/spoorhq/spoor/model"
)

// nonsense is about servers that are none.
var nonsense = list{
	{"a page of HTML is no answer", none(writes(200, "text/html; charset=utf-8", "<!doctype html><p>Welcome"))},
	{"a page of HTML with an error is told by its status", func(b *bench) {
		b.serve(writes(502, "text/html", "<html><h1>Bad gateway</h1></html>"))
		c := b.config()
		c.Retries = -1
		e := b.fault(c, model.FaultServer)
		if strings.Contains(e.Message, "<") {
			b.Errorf("the message has HTML: %s", e)
		}
	}},
	{"JSON of another shape is no answer", none(writes(200, "application/json", `{"hello":["world"],"choices":7,"content":{}}`))},
	{"JSON that is none is no answer", none(writes(200, "application/json", `{"choices":[`))},
	{"an empty answer is none", none(writes(200, "text/event-stream", ""))},
	{"an answer of no type is none", none(writes(200, "", "hello\n\nworld"))},
	{"bytes are no answer", none(writes(200, "application/octet-stream", "\x00\xff\x89PNG\r\n\r\n\n\ndata: \x00\n\n"))},
	{"lines that say nothing are no answer", none(writes(200, "text/event-stream", "hello\n\n\n\nworld: x\n\nevent: who\ndata: {}\n\nid: 3\n\n: comment\n\n"))},
	{"data that is no JSON is no answer", none(writes(200, "text/event-stream", "data: hello\n\ndata: world\n\n"))},
	{"data of another shape is no answer", none(writes(200, "text/event-stream", "data: {\"type\":[],\"choices\":{}}\n\ndata: [1]\n\ndata: null\n\ndata: 7\n\ndata: \"x\"\n\n"))},
	{"an endless line is no answer", none(writes(200, "text/event-stream", "data: "+strings.Repeat("[", 1<<20)+"\n\n"))},
	{"half a piece of data is no answer", func(b *bench) {
		events := b.Stream(Answer{Model: name, Text: []string{"Port", " 2"}})
		n := len(b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})) - 1
		events[n] = events[n][:strings.Index(events[n], " 2")] + "\n\n"
		none(func(w http.ResponseWriter, _ *http.Request) { send(w, events...) })(b)
	}},
	{"a stream that ends without its end is no answer", func(b *bench) {
		for _, calls := range [][]Call{nil, {{"call_1", "look", big}}} {
			a := Answer{Model: name, Text: []string{"Port", " 2"}, Calls: calls}
			none(func(w http.ResponseWriter, _ *http.Request) { send(w, b.begun(a)...) })(b)
		}
	}},
	{"an answer without bounds is given up", func(b *bench) {
		chunk := ": " + strings.Repeat("x", 1<<20) + "\n\n"
		none(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 70 {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
			send(w, b.Stream(Answer{Model: name, Text: []string{"Hello"}})...)
		})(b)
	}},
	{"a stream by another type is a stream", func(b *bench) {
		for _, media := range []string{"application/json", "text/plain; charset=utf-8", "application/octet-stream", "?"} {
			b.serve(writes(200, media, strings.Join(b.Stream(Answer{Model: name, Text: []string{"Port", " 2"}}), "")))
			r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Hello")}})
			b.equal("the parts", []string{"text Port 2"}, brief(r))
		}
	}},
	{"what stands around the events is no matter", func(b *bench) {
		var all strings.Builder
		for _, e := range b.Stream(Answer{Model: name, Text: []string{"Port", " 2"}, Calls: []Call{{"call_1", "look", big}}}) {
			all.WriteString(": hello\r\nretry: 10\r\nid: 7\r\n" + b.Ping() + strings.ReplaceAll(e, "\n", "\r\n"))
		}
		b.serve(writes(200, "text/event-stream; charset=utf-8", all.String()))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")})
		b.equal("the parts", []string{"text Port 2", "call look " + big}, brief(r))
	}},
}

// none holds that an answer is none.
func none(h http.HandlerFunc) func(*bench) {
	return func(b *bench) {
		b.serve(h)
		c := b.config()
		c.Retries = -1
		b.fault(c, model.FaultBroken)
	}
}
