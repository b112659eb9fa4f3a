module handoff/bench

go 1.26.0
