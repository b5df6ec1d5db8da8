// The server settings of the embedded PostgreSQL: a demo or a test run on two cores, on a disk that is shared.
// Given on the command line, so that every start has today's values whatever the data folder holds.

/** Names and values as in postgresql.conf. */
export type ServerSettings = Readonly<Record<string, string>>

const DEFAULTS: ServerSettings = {
  max_connections: '200',
  shared_buffers: '128MB',
  // compiling a plan costs more than running our short statements
  jit: 'off',
  // a parallel worker takes the other core from the service, and its memory from /dev/shm, 64 MB in containers
  max_parallel_workers_per_gather: '0',
  max_parallel_workers: '0',
  autovacuum_max_workers: '1',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  wal_compression: 'off',
  log_checkpoints: 'off',
  // statements and details carry rows of customers, which do not belong in a log
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: '0',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

/** What a start decides: the socket's folder, whether 127.0.0.1 too, and the server's name (process-identity.ts). */
export type RunSettings = { socketFolder: string; port: number; tcp: boolean; name: string }

/** The command line of `postgres` for the cluster; `settings` override the defaults, never what is fixed. */
export function serverParameters(clusterFolder: string, fixed: RunSettings, settings: ServerSettings = {}): string[] {
  const all = {
    ...DEFAULTS,
    ...settings,
    cluster_name: fixed.name,
    port: String(fixed.port),
    listen_addresses: fixed.tcp ? '127.0.0.1' : '',
    // the setting is a list: quotes keep a comma in a folder's name from splitting it
    unix_socket_directories: `"${fixed.socketFolder.replaceAll('"', '""')}"`,
  }
  return ['-D', clusterFolder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
