package refunddesk

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"modernc.org/sqlite"
)

// TestMain is also the processes that tests start, which the environment tells
// what to do.
func TestMain(m *testing.M) {
	file := os.Getenv("REFUND_DESK_FILE")
	var err error
	switch os.Getenv("REFUND_DESK_DO") {
	case "die":
		err = die(file)
	case "pay":
		err = pay(file)
	case "serve":
		err = serveFile(file)
	default:
		os.Exit(m.Run())
	}
	fmt.Fprint(os.Stderr, err)
}

func process(t *testing.T, do, file string) *exec.Cmd {
	p := exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), "REFUND_DESK_DO="+do, "REFUND_DESK_FILE="+file)
	return p
}

// die opens a desk, and is killed when it would commit something.
func die(file string) error {
	sqlite.RegisterConnectionHook(func(c sqlite.ExecQuerierContext, _ string) error {
		c.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				self.Kill()
			}
			select {}
		})
		return nil
	})
	_, err := Open(file)
	return err
}

// pay waits for the end of stdin, opens a desk, and pays order 156 back.
func pay(file string) error {
	os.Stdin.Read(make([]byte, 1))
	d, err := Open(file)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.IssueRefund(context.Background(), RefundOrder{156, 19900})
	return err
}

func serveFile(file string) error {
	d, err := Open(file)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Serve(context.Background(), os.Stdin, os.Stdout)
}

func TestHalfFilled(t *testing.T) {
	for name, half := range map[string]func(t *testing.T, file string){
		"made only": func(t *testing.T, file string) {
			if err := os.WriteFile(file, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"turned to WAL": func(t *testing.T, file string) {
			other(t, file, "PRAGMA journal_mode = WAL")
		},
		"filled but for the commit": func(t *testing.T, file string) {
			if said, err := process(t, "die", file).CombinedOutput(); err == nil || len(said) > 0 {
				t.Fatalf("it was not killed: %s", said)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "orders.db")
			half(t, file)
			for range 2 { // it is made whole, and stays so
				if n := count(t, open(t, file), "orders"); n != 300 {
					t.Errorf("%d orders, want 300", n)
				}
			}
		})
	}
}

// other opens a file as another program does.
func other(t *testing.T, file, do string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(do); err != nil {
		t.Fatal(err)
	}
}

// Several processes open a file that is not there, and want to pay the same order.
func TestProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file?#%41.db") // which a URL has to quote
	start, gun, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer start.Close()
	var said [4]strings.Builder
	var all []*exec.Cmd
	for i := range said {
		p := process(t, "pay", file)
		p.Stdin, p.Stderr = start, &said[i]
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	gun.Close()
	paid := 0
	for i, p := range all {
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
		switch s := said[i].String(); {
		case s == "<nil>":
			paid++
		case !strings.HasSuffix(s, ": paid back already"):
			t.Error(s)
		}
	}
	d := open(t, file)
	if orders, refunds := count(t, d, "orders"), count(t, d, "refunds"); paid != 1 || orders != 300 || refunds != 1 {
		t.Errorf("%d paid; %d orders and %d refunds in the file", paid, orders, refunds)
	}
}

func TestTwoDesks(t *testing.T) {
	file, ctx := filepath.Join(t.TempDir(), "orders.db"), t.Context()
	var desks [2]*Desk
	var wg sync.WaitGroup
	for i := range desks {
		wg.Go(func() { desks[i] = open(t, file) })
	}
	wg.Wait()
	var paid atomic.Int64
	for i := range 20 {
		wg.Go(func() {
			switch _, err := desks[i%2].IssueRefund(ctx, RefundOrder{156, 19900}); {
			case err == nil:
				paid.Add(1)
			case !strings.HasSuffix(err.Error(), "not 199.00 EUR: paid back already"):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if paid.Load() != 1 {
		t.Errorf("order 156 was paid back %d times", paid.Load())
	}

	if _, err := desks[0].HoldOrder(ctx, ByOrder{17}); err != nil {
		t.Error(err)
	}
	for _, d := range []*Desk{desks[1], open(t, file)} {
		if e, err := d.CheckRefund(ctx, ByOrder{17}); err != nil || e.Reason != "the order is held" {
			t.Errorf("another desk says %+v, %v", e, err)
		}
	}
}

func TestForeignFile(t *testing.T) {
	for name, c := range map[string]struct {
		make func(file string)
		want string
	}{
		"no database": {
			func(file string) { os.WriteFile(file, []byte("Dear diary,\n"), 0o666) },
			"it is no SQLite database, and is left as it is; name a file that is not there yet: it is made, and filled with the orders of the example",
		},
		"of another program": {
			func(file string) { other(t, file, "CREATE TABLE diary (day TEXT)") },
			"it is the database of another program, and is left as it is; name a file that is not there yet: it is made, and filled with the orders of the example",
		},
		"of a program without tables": {
			func(file string) { other(t, file, "PRAGMA application_id = 7") },
			"it is the database of another program",
		},
		"of another form": {
			func(file string) { other(t, file, "PRAGMA application_id = 0x6465736b; PRAGMA user_version = 99") },
			"another version of this example made it; move it away, and it is made anew",
		},
		"a folder": {
			func(file string) { os.Mkdir(file, 0o777) },
			"name a file in a folder that is there and may be written",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "diary.db")
			c.make(file)
			before, _ := os.ReadFile(file)
			d, err := Open(file)
			if err == nil {
				d.Close()
			}
			if err == nil || !strings.HasPrefix(err.Error(), "refund desk: "+file+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if after, _ := os.ReadFile(file); string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

// The tables themselves refuse what no tool would do.
func TestTables(t *testing.T) {
	d := Fresh(t)
	for _, do := range []string{
		"INSERT INTO refunds VALUES (4711, 1)", // no such order
		"INSERT INTO refunds VALUES (17, 0)",
		"INSERT INTO refunds VALUES (17, 'much')",
		"INSERT INTO refunds VALUES (156, 1), (156, 1)",
		"UPDATE orders SET delivered = 'tomorrow' WHERE id = 17",
		"UPDATE orders SET state = 'gone' WHERE id = 17",
	} {
		if _, err := d.db.Exec(do); err == nil {
			t.Errorf("%s: done", do)
		}
	}
	var mode string
	if err := d.db.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("the journal is %s, %v", mode, err)
	}
}

func TestTemporary(t *testing.T) {
	d := open(t, "")
	if _, err := os.Stat(filepath.Join(d.temp, "orders.db")); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.temp); !os.IsNotExist(err) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := d.LookupOrder(t.Context(), ByOrder{17}); err == nil {
		t.Error("a closed desk answers")
	}
}

// A call that is given up leaves nothing half done, and the desk goes on.
func TestGivenUp(t *testing.T) {
	d := Fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.IssueRefund(ctx, RefundOrder{156, 19900}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if _, err := d.IssueRefund(t.Context(), RefundOrder{156, 19900}); err != nil {
		t.Error(err)
	}
}

func TestBubble(t *testing.T) {
	filled() // outside
	synctest.Test(t, func(t *testing.T) {
		d := Fresh(t)
		for range 10 {
			go func() {
				if _, err := d.RecordFeedback(t.Context(), Opinion{"fine"}); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		if n := count(t, d, "feedback"); n != 10 {
			t.Errorf("%d opinions, want 10", n)
		}
	})
}
