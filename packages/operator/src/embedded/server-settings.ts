// Declares the settings of the embedded PostgreSQL, for demos and tests on a small machine. The command line contains
// them, so they override the settings in the data folder.

/** Settings of the server by name, with values as in postgresql.conf. */
export type ServerSettings = Readonly<Record<string, string>>

const DEFAULTS: ServerSettings = {
  max_connections: '200',
  shared_buffers: '128MB',
  // Compilation takes longer than the service's short statements.
  jit: 'off',
  // Parallel workers need CPU cores of the service, and memory in /dev/shm, which has 64 MB in containers.
  max_parallel_workers_per_gather: '0',
  max_parallel_workers: '0',
  autovacuum_max_workers: '1',
  // No server replicates from this one, so the write-ahead log can be small. `minimal` requires 0 senders.
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '256MB',
  wal_compression: 'off',
  log_checkpoints: 'off',
  // Statements and error details can contain personal data, which must not be logged.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: '0',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

/** Settings of one start. `tcp` also listens on 127.0.0.1. `name` is the `cluster_name` (process-identity.ts). */
export type RunSettings = { socketFolder: string; port: number; tcp: boolean; name: string }

/** Returns the arguments of `postgres`. `settings` override the defaults, but not `fixed`. */
export function serverParameters(clusterFolder: string, fixed: RunSettings, settings: ServerSettings = {}): string[] {
  const all = {
    ...DEFAULTS,
    ...settings,
    cluster_name: fixed.name,
    port: String(fixed.port),
    listen_addresses: fixed.tcp ? '127.0.0.1' : '',
    // The setting is a list. Quotes protect a comma in the path.
    unix_socket_directories: `"${fixed.socketFolder.replaceAll('"', '""')}"`,
  }
  return ['-D', clusterFolder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
