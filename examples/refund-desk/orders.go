package refunddesk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// made marks a file as one of this example; another form of the tables gets
// another form number.
const (
	made = 0x6465736b // "desk", as application_id
	form = 1          // as user_version
)

// schema makes the tables and fills them from ?1, the text of orders.json.
const schema = `
PRAGMA application_id = 0x6465736b;
PRAGMA user_version = 1;

CREATE TABLE clock (
	today TEXT NOT NULL CHECK (today IS date(today))
) STRICT;
CREATE TABLE policy (
	window_days   INTEGER NOT NULL,
	counted_from  TEXT NOT NULL,
	since         TEXT NOT NULL,
	second_charge TEXT NOT NULL
) STRICT;
CREATE TABLE orders (
	id            INTEGER PRIMARY KEY,
	customer      TEXT NOT NULL,
	email         TEXT NOT NULL,
	country       TEXT NOT NULL,
	item          TEXT NOT NULL,
	amount_cents  INTEGER NOT NULL,
	currency      TEXT NOT NULL,
	state         TEXT NOT NULL CHECK (state IN ('placed', 'packed', 'shipped', 'delivered', 'returned', 'cancelled')),
	payment_state TEXT NOT NULL CHECK (payment_state IN ('pending', 'paid', 'refunded', 'void', 'chargeback')),
	placed        TEXT NOT NULL,
	promised      TEXT NOT NULL CHECK (promised IS date(promised)),
	delivered     TEXT CHECK (delivered IS date(delivered)), -- NULL: not yet
	notes         TEXT,
	risk_level    TEXT NOT NULL CHECK (risk_level IN ('low', 'medium', 'high', 'critical')),
	score         REAL NOT NULL CHECK (score BETWEEN 0 AND 1)
) STRICT;
CREATE INDEX orders_of_customer ON orders (email);
CREATE TABLE charges (
	order_id     INTEGER NOT NULL REFERENCES orders,
	position     INTEGER NOT NULL,
	at           TEXT NOT NULL,
	amount_cents INTEGER NOT NULL,
	reference    TEXT NOT NULL,
	PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE signals (
	order_id INTEGER NOT NULL REFERENCES orders,
	position INTEGER NOT NULL,
	signal   TEXT NOT NULL,
	PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;

-- what the tools change
CREATE TABLE refunds (
	order_id     INTEGER PRIMARY KEY REFERENCES orders, -- once an order
	amount_cents INTEGER NOT NULL CHECK (amount_cents > 0)
) STRICT;
CREATE TABLE holds (
	order_id INTEGER PRIMARY KEY REFERENCES orders
) STRICT;
CREATE TABLE cases (
	id       INTEGER PRIMARY KEY,
	order_id INTEGER, -- what was said: there may be no such order
	summary  TEXT NOT NULL,
	team     TEXT NOT NULL
) STRICT;
CREATE TABLE feedback (
	id   INTEGER PRIMARY KEY,
	text TEXT NOT NULL
) STRICT;

INSERT INTO clock SELECT ?1 ->> 'asOf';
INSERT INTO policy SELECT
	?1 ->> '$.policy.windowDays', ?1 ->> '$.policy.countedFrom', ?1 ->> '$.policy.since', ?1 ->> '$.policy.secondCharge';
INSERT INTO orders SELECT
	value ->> 'id', value ->> 'customer', value ->> 'email', value ->> 'country', value ->> 'item',
	value ->> 'amountCents', value ->> 'currency', value ->> 'state', value ->> 'paymentState',
	value ->> 'placed', value ->> 'promised', value ->> 'delivered', value ->> 'notes',
	value ->> 'riskLevel', value ->> 'score'
	FROM jsonb_each(?1, '$.orders');
INSERT INTO charges SELECT
	o.value ->> 'id', c.key, c.value ->> 'at', c.value ->> 'amountCents', c.value ->> 'reference'
	FROM jsonb_each(?1, '$.orders') o, jsonb_each(o.value, '$.charges') c;
INSERT INTO signals SELECT o.value ->> 'id', s.key, s.value
	FROM jsonb_each(?1, '$.orders') o, jsonb_each(o.value, '$.signals') s;
`

// connect opens a file, and makes and fills it if it is new. All of that is one
// transaction: whoever is killed in it leaves a file that is new still, and of
// several that open a new file at once one fills it.
func connect(file string) (*sql.DB, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	where := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(abs), "/"),
		RawQuery: "_busy_timeout=10000&_foreign_keys=on&_txlock=immediate"}
	db, err := sql.Open("sqlite", where.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // calls wait in a queue here, rather than for a lock of the file
	if err := fill(db); err != nil {
		db.Close()
		return nil, advise(err)
	}
	return db, nil
}

func fill(db *sql.DB) error {
	ctx := context.Background()
	filled, err := read(ctx, db, ledger.filled)
	if filled || err != nil {
		return err
	}
	// A file that is new is nobody else's, so it may be turned to WAL. Where
	// two turn it at once, one is told that it is busy, and finds it turned.
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil && code(err) != busy {
		return err
	}
	data, err := Files.ReadFile("orders.json")
	if err != nil {
		return err
	}
	_, err = write(ctx, db, func(l ledger) (bool, error) {
		filled, err := l.filled() // by another, since
		if !filled && err == nil {
			_, err = l.tx.ExecContext(ctx, schema, string(data))
		}
		return true, err
	})
	return err
}

// Result codes of SQLite.
const (
	busy     = 5
	cantOpen = 14
	notADB   = 26
)

// code is the result code of an error of SQLite, else 0.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

var errForeign = errors.New("it is the database of another program, and is left as it is")

// advise adds to what is wrong with a file what to do about it.
func advise(err error) error {
	switch {
	case errors.Is(err, errForeign):
	case code(err) == notADB:
		err = errors.New("it is no SQLite database, and is left as it is")
	case code(err) == cantOpen:
		return fmt.Errorf("%w; name a file in a folder that is there and may be written", err)
	default:
		return err
	}
	return fmt.Errorf("%w; name a file that is not there yet: it is made, and filled with the orders of the example", err)
}

// A ledger is the file within one transaction: what it reads was so at one
// moment, and what it changes is changed at once or not at all.
type ledger struct {
	ctx context.Context
	tx  *sql.Tx
}

func read[T any](ctx context.Context, db *sql.DB, f func(ledger) (T, error)) (T, error) {
	return within(ctx, db, &sql.TxOptions{ReadOnly: true}, f)
}

// write has the file to itself from its beginning, among all processes.
func write[T any](ctx context.Context, db *sql.DB, f func(ledger) (T, error)) (T, error) {
	return within(ctx, db, nil, f)
}

func within[T any](ctx context.Context, db *sql.DB, opts *sql.TxOptions, f func(ledger) (T, error)) (out T, err error) {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return out, err
	}
	defer tx.Rollback() // of no effect after a commit
	if out, err = f(ledger{ctx, tx}); err != nil {
		return out, err
	}
	return out, tx.Commit()
}

// filled says whether the file has the orders. If not, it is new.
func (l ledger) filled() (bool, error) {
	var by, version, things int
	err := l.tx.QueryRowContext(l.ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`).Scan(&by, &version, &things)
	switch {
	case err != nil:
		return false, err
	case by == 0 && version == 0 && things == 0:
		return false, nil
	case by != made:
		return false, errForeign
	case version != form:
		return false, errors.New("another version of this example made it; move it away, and it is made anew")
	}
	return true, nil
}

func (l ledger) today() (today string, err error) {
	err = l.tx.QueryRowContext(l.ctx, `SELECT today FROM clock`).Scan(&today)
	return today, err
}

func (l ledger) policy() (p Policy, err error) {
	err = l.tx.QueryRowContext(l.ctx, `SELECT window_days, counted_from, since, second_charge FROM policy`).
		Scan(&p.WindowDays, &p.CountedFrom, &p.Since, &p.SecondCharge)
	return p, err
}

// noOrder is the error for a number that no order has.
type noOrder int64

func (id noOrder) Error() string { return fmt.Sprintf("there is no order %d", int64(id)) }

// order is all that the file has about an order.
func (l ledger) order(id int64) (r row, err error) {
	err = l.tx.QueryRowContext(l.ctx, `SELECT id, customer, email, country, item, o.amount_cents, currency, state, payment_state,
		placed, promised, coalesce(delivered, ''), coalesce(notes, ''), risk_level, score,
		h.order_id IS NOT NULL, coalesce(r.amount_cents, 0)
		FROM orders o LEFT JOIN holds h ON h.order_id = id LEFT JOIN refunds r ON r.order_id = id WHERE id = ?`, id).
		Scan(&r.ID, &r.Customer, &r.Email, &r.Country, &r.Item, &r.AmountCents, &r.Currency, &r.State, &r.PaymentState,
			&r.Placed, &r.Promised, &r.Delivered, &r.Notes, &r.RiskLevel, &r.Score, &r.held, &r.refunded)
	if errors.Is(err, sql.ErrNoRows) {
		return r, noOrder(id)
	}
	if err != nil {
		return r, err
	}
	r.Charges, err = list(l, `SELECT at, amount_cents, reference FROM charges WHERE order_id = ? ORDER BY position`, id,
		func(c *Charge) []any { return []any{&c.At, &c.AmountCents, &c.Reference} })
	if err != nil {
		return r, err
	}
	r.Signals, err = list(l, `SELECT signal FROM signals WHERE order_id = ? ORDER BY position`, id,
		func(s *string) []any { return []any{s} })
	return r, err
}

// list reads the rows of an order. None is an empty list, not null.
func list[T any](l ledger, query string, id int64, fields func(*T) []any) ([]T, error) {
	rows, err := l.tx.QueryContext(l.ctx, query, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		var one T
		if err := rows.Scan(fields(&one)...); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

func (l ledger) history(email string) (h History, err error) {
	err = l.tx.QueryRowContext(l.ctx, `SELECT count(*), count(*) FILTER (WHERE payment_state = 'refunded'),
		count(*) FILTER (WHERE payment_state = 'chargeback') FROM orders WHERE email = ?`, email).
		Scan(&h.OrderCount, &h.RefundCount, &h.ChargebackCount)
	return h, err
}

func (l ledger) refund(id, cents int64) error {
	_, err := l.tx.ExecContext(l.ctx, `INSERT INTO refunds (order_id, amount_cents) VALUES (?, ?)`, id, cents)
	return err
}

func (l ledger) hold(id int64) error {
	_, err := l.tx.ExecContext(l.ctx, `INSERT INTO holds (order_id) VALUES (?) ON CONFLICT DO NOTHING`, id)
	return err
}

// open opens a case; the first has the number 1001.
func (l ledger) open(about int64, summary, team string) (number int64, err error) {
	err = l.tx.QueryRowContext(l.ctx, `INSERT INTO cases (id, order_id, summary, team)
		SELECT coalesce(max(id), 1000) + 1, nullif(?, 0), ?, ? FROM cases RETURNING id`, about, summary, team).Scan(&number)
	return number, err
}

func (l ledger) note(text string) (number int64, err error) {
	err = l.tx.QueryRowContext(l.ctx, `INSERT INTO feedback (text) VALUES (?) RETURNING id`, text).Scan(&number)
	return number, err
}
