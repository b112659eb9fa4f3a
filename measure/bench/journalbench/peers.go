package main

import (
	"database/sql"
	"encoding/binary"
	"path/filepath"

	"github.com/tidwall/wal"
	"go.etcd.io/bbolt"
	_ "modernc.org/sqlite"
)

func openTidwall(dir string) (*store, error) {
	log, err := wal.Open(filepath.Join(dir, "tidwall"), nil) // durable by default
	if err != nil {
		return nil, err
	}
	return &store{name: "tidwall/wal", close: log.Close, append: func(seq uint64, line []byte) error { return log.Write(seq+1, line) }}, nil
}

func openSQLite(dir string) (*store, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "sqlite")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("create table events (seq integer primary key, line blob not null)"); err != nil {
		return nil, err
	}
	insert, err := db.Prepare("insert into events values (?, ?)")
	if err != nil {
		return nil, err
	}
	return &store{name: "SQLite (WAL, FULL)", close: db.Close, append: func(seq uint64, line []byte) error {
		_, err := insert.Exec(int64(seq), line)
		return err
	}}, nil
}

func openBolt(dir string) (*store, error) {
	db, err := bbolt.Open(filepath.Join(dir, "bbolt"), 0o644, nil)
	if err != nil {
		return nil, err
	}
	events := []byte("events")
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket(events)
		return err
	})
	return &store{name: "bbolt", close: db.Close, append: func(seq uint64, line []byte) error {
		return db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket(events).Put(binary.BigEndian.AppendUint64(nil, seq), line)
		})
	}}, err
}
