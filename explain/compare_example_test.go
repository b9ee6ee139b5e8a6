package explain_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// read is a run in which a port has so many errors.
func read(errors int) *recording.Recording {
	answer := "The port is well."
	if errors > 1000 {
		answer = "The port is unwell."
	}
	a, err := agent.New(agent.Config{
		Map:   &spoor.Map{Skills: []spoor.Skill{{ID: "ports", Body: "Read the port."}}, Start: spoor.Start{Use: "ports"}},
		Model: &script{[][]model.Part{call("read_port", `{"n":3}`), say(answer)}},
		Tools: []tool.Tool{returns("read_port", fmt.Sprintf(`{"port":{"n":3,"errors":%d}}`, errors))},
		Log:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	run, err := a.Run(context.Background(), "How is port 3?")
	if err != nil {
		panic(err)
	}
	return run.Recording
}

func ExampleCompare() {
	c := explain.Compare(read(12), read(41200))
	fmt.Println(c.First.Class, "at", c.First.Place)
	fmt.Println(c.First.Text)
	for _, d := range c.Then {
		fmt.Println(d.Class, d.Origin, "by", d.From)
	}
	// Output:
	// tool result at $.port.errors
	// i1.1 read_port returned otherwise at $.port.errors: 12 against 41200
	// reply caused by [1]
}

func ExampleSeparator() {
	var s explain.Separator
	for i := range 6 {
		s.Good(read(10 + i))
		s.Bad(read(40_000 + i))
	}
	r := s.Result()
	best := r.Groups[0]
	fmt.Println(r.Separates, r.Evidence, len(best.Features)+best.More)
	fmt.Println(best.Features[0].Name)
	fmt.Printf("good %d of %d, bad %d of %d, p = %.4f\n", best.Good, r.Good, best.Bad, r.Bad, best.P)
	// Output:
	// true proxy 1
	// read_port $.port.errors ≥ 40000
	// good 0 of 6, bad 6 of 6, p = 0.0022
}
