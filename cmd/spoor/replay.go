package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/replay"
)

// A rerun is what the flags of replay say.
type rerun struct {
	from   store
	mapped string
	pieces []string
	turn   int
	out    string
	json   bool
}

func newReplay() *cobra.Command {
	r := new(rerun)
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Walk a recording again: as it was, or on an edited map",
		Long: `Walk a recording again, without a model and without tools. What they said is in the recording.

Without a map and without a piece, the same events must follow from what was said, and the same
bytes of the file. It leaves with 0 if they do, with 1 if something differs or a line was changed,
and with 2 if that cannot be asked: no turn has begun, another version of spoor walked it, or
content is missing.

With --map or --piece it tells where the walk would have gone:

  --map MAP                     on this map, with its agent if the file gives one; tools are
                                described, and answer, as they did
  --piece DIGEST=FILE           with the text of FILE in place of that content; eight digits of the
                                digest are enough; spoor why RUN --call N --json has them
  --piece call:i3.1=FILE        with the text of FILE in place of the result of that call
  --turn N                      in this turn alone, after those before it as they were

That is exact until the first request that is another one; after it the recorded replies are taken
in their order, and all is marked as assumed. It leaves with 0 if no hop and no request is another
one, with 1 if one is, and with 2 if that cannot be asked, such as on a map that is wrong.

--out FILE writes the replayed run, which spoor why, show and draw can be asked about. Its id says
from which event on all is assumed; why and show mark it.

With --json, {run, same, turns, events, lines, unusable, difference: {kind, event, eventKind, turn,
iteration, line, path, recorded, made}, faults, assumed, incomplete, seams}; with --map or --piece
{run, turns, same, mapChanges, moves: [{turn, iteration, was, now, changed, evidence, guards}],
firstDivergence: {event, wasEvent, turn, iteration, purpose, class, pieces, gained, lost,
specified}, requests, changedRequests, assumed, conditions, blocked, missing, unreached, answer}.
docs/replay.md has all of it.`,
		Example: `  spoor replay last
  spoor replay last --map edited.yaml
  spoor replay last --piece call:i3.1=result.json --out other.jsonl`,
		Args:              one(aRun),
		RunE:              func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
		ValidArgsFunction: r.from.complete,
	}
	f := cmd.Flags()
	f.StringVar(&r.mapped, "map", "", "walk it on this map file")
	f.StringArrayVar(&r.pieces, "piece", nil, "DIGEST=FILE or call:ID=FILE: a text in place of recorded content")
	f.IntVar(&r.turn, "turn", 0, "walk only this turn, from 1, with the edit")
	f.StringVar(&r.out, "out", "", "write the replayed run to this file")
	r.from.flag(cmd)
	jsonFlag(cmd, &r.json)
	return cmd
}

func (r *rerun) run(cmd *cobra.Command, name string) error {
	given := cmd.Flags().Changed
	switch {
	case given("map") && r.mapped == "":
		return errors.New("--map is empty; give the path of a map file")
	case given("turn") && r.turn < 1:
		return fmt.Errorf("--turn is %d; it is the number of a turn, from 1", r.turn)
	case given("out") && r.out == "":
		return errors.New("--out is empty; name a file")
	}
	rec, err := r.from.open(name)
	if err != nil {
		return err
	}
	if !given("map") && !given("piece") {
		if given("turn") || given("out") {
			return errors.New("--turn and --out want --map or --piece: without an edit all of the recording is walked as it was")
		}
		return r.reproduce(cmd, rec)
	}
	edit := replay.Edit{Turn: r.turn}
	var file *mapfile.File
	if r.mapped != "" {
		if file, err = r.edited(&edit); err != nil {
			return err
		}
	}
	if err := r.replaced(&edit, rec); err != nil {
		return err
	}
	report, err := replay.Against(rec, edit)
	if problems, ok := errors.AsType[spoor.Problems](err); ok && file != nil {
		return noGraph(r.mapped, locate(file, problems))
	}
	if err != nil {
		return err
	}
	if r.out != "" {
		if err := r.write(rec, report.Recording); err != nil {
			return err
		}
	}
	if r.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = printText(cmd.OutOrStdout(), report.String())
	}
	if err == nil && !report.Same {
		err = exit{code: no}
	}
	return err
}

// reproduce walks the recording as it was.
func (r *rerun) reproduce(cmd *cobra.Command, rec *recording.Recording) error {
	info, err := os.Stat(rec.Path)
	if err != nil {
		return err
	}
	var again io.Reader // what is no file, such as a pipe, was read already
	if info.Mode().IsRegular() {
		file, err := os.Open(rec.Path)
		if err != nil {
			return err
		}
		defer file.Close()
		again = file
	}
	p := replay.Reproduce(rec, again)
	if r.json {
		err = printJSON(cmd.OutOrStdout(), p)
	} else {
		err = printText(cmd.OutOrStdout(), p.String())
	}
	switch {
	case err != nil:
	case p.Unusable != "":
		err = exit{code: unasked}
	case !p.Same:
		err = exit{code: no}
	}
	return err
}

// edited reads the edited map, and how its file sets up the agent.
func (r *rerun) edited(edit *replay.Edit) (*mapfile.File, error) {
	f, faults, err := openMap(r.mapped)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, noGraph(r.mapped, faults)
	}
	_, problems, err := compile(f, &cond.Set{AllowUnbound: true})
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, noGraph(r.mapped, locate(f, problems))
	}
	edit.Map = f.Map
	if a := &f.Agent; !reflect.ValueOf(a).Elem().IsZero() {
		edit.Agent = &replay.Agent{
			System: a.System, Injections: a.Injections, Posture: spoor.Posture(a.Posture), Continuity: spoor.Continuity(a.Continuity),
			Decider: a.DeciderModel != "", Limits: a.Limits, MaxIterations: a.MaxIterations,
		}
	}
	return f, nil
}

// noGraph is the error of a map on which nothing can be walked.
func noGraph(name string, faults mapfile.Faults) error {
	sortFaults(faults)
	if len(faults) == 1 {
		return exit{unasked, errors.New(faults[0].String())}
	}
	return exit{unasked, fmt.Errorf("%s cannot be walked, for %d reasons:\n%w", name, len(faults), faults)}
}

// replaced reads what --piece puts in place of recorded content.
func (r *rerun) replaced(edit *replay.Edit, rec *recording.Recording) error {
	var places []replay.Place
	for _, flag := range r.pieces {
		what, file, ok := strings.Cut(flag, "=")
		if !ok || what == "" || what == "call:" || file == "" {
			return fmt.Errorf("--piece %s is no edit; write DIGEST=FILE, or call:ID=FILE for the result of a call", quoteShort(flag))
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return unreadable(file, err)
		}
		text := string(data)
		if call, ok := strings.CutPrefix(what, "call:"); ok {
			if edit.Results == nil {
				edit.Results = map[string]string{}
			}
			edit.Results[call] = asWas(text, resultOf(rec, call))
			continue
		}
		if places == nil {
			places = replay.Editable(rec)
		}
		d, was, err := digest(rec, what, places)
		if err != nil {
			return err
		}
		if edit.Pieces == nil {
			edit.Pieces = map[model.Digest]string{}
		}
		edit.Pieces[d] = asWas(text, was)
	}
	return nil
}

// asWas is the text of a file without the line end that an editor adds, if what
// it replaces has none.
func asWas(text, was string) string {
	if strings.HasSuffix(was, "\n") {
		return text
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// resultOf is what a call returned.
func resultOf(rec *recording.Recording, call string) string {
	for i := range rec.Events {
		if b, ok := rec.Events[i].Body.(*event.Returned); ok && b.Call == call {
			return b.Result.Data
		}
	}
	return ""
}

// digest finds the one content that some digits name.
func digest(rec *recording.Recording, digits string, places []replay.Place) (d model.Digest, was string, err error) {
	const least = 8
	digits = strings.ToLower(digits)
	if strings.Trim(digits, "0123456789abcdef") != "" || len(digits) < least {
		return d, "", fmt.Errorf("--piece %s names no content; write %d or more digits of its digest, or call:ID", quoteShort(digits), least)
	}
	found := slices.DeleteFunc(slices.Clone(places), func(p replay.Place) bool { return !strings.HasPrefix(p.Digest.String(), digits) })
	switch len(found) {
	case 1:
		return found[0].Digest, found[0].Data, nil
	case 0:
		for i := range rec.Events {
			for _, p := range rec.Events[i].Pieces(nil) {
				if strings.HasPrefix(p.Digest.String(), digits) {
					return p.Digest, "", nil // replay says why it cannot be edited
				}
			}
		}
		return d, "", fmt.Errorf("run %s has no content %s%s", oneLine(rec.Run, 100), digits, replay.Near(digits, places))
	}
	return d, "", fmt.Errorf("%s is the beginning of %d digests; write more digits%s", digits, len(found), replay.Near(digits, found))
}

// write writes the replayed run. It overwrites nothing but another one.
func (r *rerun) write(rec, made *recording.Recording) error {
	if info, err := os.Stat(r.out); err == nil {
		if own, err := os.Stat(rec.Path); err == nil && os.SameFile(info, own) {
			return fmt.Errorf("--out %s is the recording itself; name another file", r.out)
		}
		var again bool
		if old, err := recording.Open(r.out); err == nil {
			_, _, again = explain.Replayed(old.Run)
		}
		if !again {
			return fmt.Errorf("--out %s is there, and is no replayed run; name another file", r.out)
		}
	}
	file, err := os.Create(r.out)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return fmt.Errorf("%s cannot be written: %w", filepath.Clean(r.out), err)
	}
	err = recording.NewWriter(file, made.Run).Append(made.Events)
	return errors.Join(err, file.Close())
}
