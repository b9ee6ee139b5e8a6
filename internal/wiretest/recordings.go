package wiretest

import (
	"context"
	"encoding/json"
	"net/http"
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
		b.equal("the requests", strings.Fields("answer answer answer answer answer"), again(b, m, run.Recording.Path))
	}},
	{"a forced choice is made of its recording again, and what follows it as well", func(b *bench) {
		choose := func(id string) http.HandlerFunc {
			return b.says(Answer{Model: name, Calls: []Call{{ID: "c1", Name: "choose", Args: `{"id":"` + id + `"}`}}})
		}
		b.serve(
			choose("none"), choose("look"), b.says(Answer{Model: name, Calls: []Call{{ID: "c2", Name: "read_port", Args: `{"n":3}`}}}), b.hello(),
			b.says(Answer{Model: name, Text: []string{"re", "pair"}}), b.hello(),
		)
		m := b.Open(b.config())
		p := ports()
		p.Start = spoor.Start{Classify: walk.LLM, Rules: []spoor.Rule{
			{Use: "look", Match: match.Intent("A port is to be looked at.", "what about port 3")},
			{Use: "repair", Match: match.Intent("A port is to be repaired.", "it is broken")},
		}}
		a, err := agent.New(agent.Config{
			Map: p, Model: m, Classifier: m, Decider: m, Tools: portTools(), Store: &recording.Folder{Dir: b.TempDir()},
			Check: agent.CheckOff, Continuity: spoor.ContinueConversation,
			Injections: spoor.Injections{
				Skills:   []spoor.AgentSkill{{Skill: spoor.Skill{ID: "notes", Body: "Write it down."}}},
				Steering: []string{"Be brief."},
			},
		})
		if err != nil {
			b.Fatal(err)
		}
		run, err := a.Run(b.Context(), "Hello?")
		if err != nil {
			b.Fatal(err)
		}
		if run, err = a.Reply(b.Context(), run.Recording, "It is broken."); err != nil {
			b.Fatal(err)
		}
		b.equal("the choice", "choose", b.seen(0).Choice)
		b.equal("the requests", strings.Fields("classify decide answer answer classify answer"), again(b, m, run.Recording.Path))
	}},
}

// again makes every request of a recording again, holds that the same bytes are
// sent, and lists what the requests were for.
func again(b *bench, m model.Model, path string) (purposes []string) {
	read, err := recording.Open(path)
	if err != nil || len(read.Faults) > 0 {
		b.Fatal(err, read.Faults)
	}
	for i, e := range read.Events {
		called, ok := e.Body.(*event.Called)
		if !ok {
			continue
		}
		purposes = append(purposes, string(called.Purpose))
		replied := read.Events[i+1].Body.(*event.Replied)
		if replied.Wire.Bytes == 0 {
			b.Errorf("event %d does not say what was sent", e.Seq)
		}
		before := b.asked()
		if _, err := m.Call(b.Context(), requestOf(b, read, e.Seq), func(model.Delta) {}); err != nil {
			b.Fatal(err)
		}
		b.equal("what is sent again", replied.Wire, sent(b.bodies[before]))
	}
	return purposes
}

// requestOf is the request of a called event, from the recording alone.
func requestOf(b *bench, r *recording.Recording, seq int) *model.Request {
	parts, called := r.Request(seq)
	offered := called.Offered
	if called.OfferedAs > 0 {
		offered = r.Events[called.OfferedAs-1].Body.(*event.Called).Offered
	}
	started := r.Started(seq)
	g, err := started.Compile(nil)
	if err != nil {
		b.Fatal(err)
	}
	g = g.Hide(started.Hidden)
	req := &model.Request{Purpose: called.Purpose, Parts: parts, Skill: called.Skill}
	add := func(t event.Tool) {
		var spec model.ToolSpec
		if err := json.Unmarshal([]byte(t.Data), &spec); err != nil {
			b.Fatal(err)
		}
		req.Tools = append(req.Tools, spec)
	}
	if called.Choice != nil {
		add(*called.Choice)
		req.Choice = called.Choice.Name
	}
	for _, name := range offered {
		if name == walk.ReadSkill {
			req.Tools = append(req.Tools, walk.ReadSkillSpec(g))
			continue
		}
		for _, t := range started.Tools {
			if t.Name == name {
				add(t)
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
