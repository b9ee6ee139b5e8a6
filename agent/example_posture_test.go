package agent_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model/script"
)

// Under rails the model moves nothing: what the map declares does. A model that
// tries all the same is told so.
func ExampleConfig_posture() {
	for _, posture := range []spoor.Posture{spoor.PostureAssist, spoor.PostureRails} {
		a := must(agent.New(agent.Config{
			Map: &spoor.Map{
				Skills: []spoor.Skill{
					{ID: "triage", Description: "Rate a request.", Body: "Ask for the order."},
					{ID: "refund", Description: "Pay it back.", Body: "Say when the money comes."}},
				Start: spoor.Start{Use: "triage"},
				Steps: []spoor.Step{{From: "triage", To: "refund"}}},
			Posture: posture,
			Log:     slog.New(slog.DiscardHandler), // of a check-up, which finds that only the model can take the step
			Model: must(script.New(
				script.Rule{If: "iteration == 1", Call: []script.Call{{Tool: "read_skill", Args: `{"id": "refund"}`}}},
				script.Rule{If: "true", Say: "I am in ${skill}."})),
		}))
		run := must(a.Run(context.Background(), "I want my money back"))
		fmt.Printf("%s: %s\n", posture, run.Answer)
		for _, e := range run.Recording.Events {
			if r, ok := e.Body.(*event.Rejected); ok {
				fmt.Println(r.Result.Data)
			}
		}
	}
	// Output:
	// assist: I am in refund.
	// rails: I am in triage.
	// The map moves by itself; reading does not move to "refund". No skill can be read from "triage"; go on without.
}
