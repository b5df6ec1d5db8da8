// Prints at the end of `npm test` which tests it did not run, because npm can't install their programs.

/** Called by vitest before the first test. Vitest calls the returned function after the last test. */
export function setup(): () => void {
  return () => {
    process.stdout.write(
      'Not run: test/fleet, which needs nginx, HAProxy, PgBouncer, promtool, MariaDB, Patroni, and psql (npm run test:fleet).\n',
    )
  }
}
