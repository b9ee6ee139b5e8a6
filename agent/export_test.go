package agent

import (
	"context"

	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/walk"
)

// RunInto is Run with a recording that a test brings along.
func (a *Agent) RunInto(ctx context.Context, w *recording.Writer, message string) (*Run, error) {
	tools, err := a.toolsNow(ctx)
	if err != nil {
		return nil, err
	}
	return a.newRun(w, new(walk.State), tools).start(ctx, message)
}
