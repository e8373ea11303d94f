-- Money is in cents. Times are RFC 3339 text in UTC.
CREATE TABLE customer (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  email      TEXT NOT NULL,
  deleted_at TEXT
) STRICT;

CREATE TABLE purchase (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES customer (id),
  state      TEXT NOT NULL CHECK (state IN ('placed', 'paid', 'packed', 'shipped', 'delivered', 'cancelled', 'returned')),
  item       TEXT NOT NULL,
  quantity   INTEGER NOT NULL CHECK (quantity > 0),
  total      INTEGER NOT NULL CHECK (total > 0),
  paid       INTEGER NOT NULL CHECK (paid BETWEEN 0 AND total),
  refunded   INTEGER NOT NULL CHECK (refunded BETWEEN 0 AND paid),
  placed_at  TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;

CREATE TABLE refund (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  order_id TEXT NOT NULL REFERENCES purchase (id),
  amount   INTEGER NOT NULL CHECK (amount > 0),
  at       TEXT NOT NULL
) STRICT;

-- What really happened. Rows are only ever added.
CREATE TABLE change (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  at     TEXT NOT NULL,
  tool   TEXT NOT NULL,
  what   TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE TRIGGER change_is_never_edited BEFORE UPDATE ON change
BEGIN SELECT RAISE(ABORT, 'the change table is append-only'); END;

CREATE TRIGGER change_is_never_removed BEFORE DELETE ON change
BEGIN SELECT RAISE(ABORT, 'the change table is append-only'); END;
