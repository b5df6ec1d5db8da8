module generators

go 1.24

require store-client v0.0.0

replace store-client => ./client
