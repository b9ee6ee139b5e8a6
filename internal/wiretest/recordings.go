package wiretest

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/walk"
)

// recordings are about what an agent keeps of its model calls.
var recordings = list{
	{"every request is made of its recording again, to the byte", func(b *bench) {
		b.serve(
			b.says(Answer{Model: name, Thinking: "Port 3 first.", Text: []string{"Let me look."}, Calls: []Call{
				{ID: "c1", Name: "read_port", Args: `{"n":9007199254740993}`}, {ID: "c1", Name: "photo_of_port", Args: `{}`},
			}}),
			b.refuses(model.FaultOverloaded, "busy", "Retry-After-Ms", "1"),
			b.says(Answer{Model: name, Calls: []Call{{ID: "c2", Name: "read_skill", Args: `{"id":"tone"}`}}}),
			b.says(Answer{Model: name, Text: []string{"Port 3", " is unwell. The key is " + key}}),
			b.says(Answer{Model: name, Calls: []Call{{ID: "c3", Name: "read_port", Args: `{"n":`}}}),
			b.hello(),
		)
		m := b.Open(b.config())
		folder := &recording.Folder{Dir: b.TempDir()}
		a, err := agent.New(agent.Config{Map: ports(), Model: m, Tools: portTools(), System: "You look after ports.", Store: folder, MaxIterations: 4})
		if err != nil {
			b.Fatal(err)
		}
		run, err := a.Run(b.Context(), "How is port 3?")
		if err != nil {
			b.Fatal(err)
		}
		if run, err = a.Reply(b.Context(), run.Recording, "And port 4?"); err != nil {
			b.Fatal(err)
		}
		file, err := os.ReadFile(run.Recording.Path)
		if err != nil {
			b.Fatal(err)
		}
		b.silent(string(file))
		read, err := recording.Open(run.Recording.Path)
		if err != nil || len(read.Faults) > 0 {
			b.Fatal(err, read.Faults)
		}
		n := 0
		for i, e := range read.Events {
			if _, ok := e.Body.(*event.Called); !ok {
				continue
			}
			n++
			replied := read.Events[i+1].Body.(*event.Replied)
			if replied.Wire.Bytes == 0 {
				b.Errorf("event %d does not say what was sent", e.Seq)
			}
			before := b.asked()
			req := requestOf(b, read, e.Seq)
			if _, err := m.Call(b.Context(), req, func(model.Delta) {}); err != nil {
				b.Fatal(err)
			}
			b.equal("what is sent again", replied.Wire, sent(b.bodies[before]))
		}
		b.equal("the requests", 5, n)
	}},
}

// requestOf is the request of a called event, from the recording alone.
func requestOf(b *bench, r *recording.Recording, seq int) *model.Request {
	parts, called := r.Request(seq)
	offered := called.Offered
	if called.OfferedAs > 0 {
		offered = r.Events[called.OfferedAs-1].Body.(*event.Called).Offered
	}
	started := r.Started(seq)
	m, err := started.Graph.Decode()
	if err != nil {
		b.Fatal(err)
	}
	g, err := spoor.Compile(m, nil)
	if err != nil {
		b.Fatal(err)
	}
	req := &model.Request{Purpose: called.Purpose, Parts: parts, Skill: called.Skill}
	for _, name := range offered {
		if name == walk.ReadSkill {
			req.Tools = append(req.Tools, walk.ReadSkillSpec(g))
			continue
		}
		for _, t := range started.Tools {
			if t.Name == name {
				var spec model.ToolSpec
				if err := json.Unmarshal([]byte(t.Data), &spec); err != nil {
					b.Fatal(err)
				}
				req.Tools = append(req.Tools, spec)
			}
		}
	}
	return req
}

// ports is a map with a step, a skill that is open, and a guard.
func ports() *spoor.Map {
	return &spoor.Map{
		Skills: []spoor.Skill{
			{ID: "look", Description: "Read a port.", Body: "Call read_port(n).", Tools: []string{"read_port", "photo.of port"}},
			{ID: "repair", Description: "Repair a port.", Body: "A technician comes."},
			{ID: "tone", Description: "How to speak.", Body: "Be kind."},
		},
		Start: spoor.Start{Rules: []spoor.Rule{{Use: "look", Match: match.Keywords("port")}}},
		Steps: []spoor.Step{{From: "look", To: "repair", OnToolReturn: "read_port", Guard: guard.Guard{guard.Gt("errors", 1000)}}},
	}
}

func portTools() []tool.Tool {
	return []tool.Tool{
		{
			Name: "read_port", Description: "Read the counters of a port.",
			Schema: `{"type":"object","required":["n"],"properties":{"n":{"maximum":9007199254740993,"type":"integer"}}}`,
			Call: func(context.Context, string) (tool.Result, error) {
				return tool.Result{Text: `{"errors":41200,"id":9007199254740993}`}, nil
			},
		},
		{
			Name: "photo.of port", Call: func(context.Context, string) (tool.Result, error) {
				return tool.Result{Text: "the photo", Status: spoor.Partial, More: []model.Part{
					{Kind: model.Image, Data: "\x89PNG\r\n\x00" + strings.Repeat("\xff", 99), Media: "image/png"},
					{Kind: model.Document, Data: "Ports 1 to 4.", Media: "text/plain"},
				}}, nil
			},
		},
	}
}
