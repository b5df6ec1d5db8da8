// Prints at the end of `npm test` which tests it did not run, because npm can't install their programs.

/** Vitest calls this before the first test, and the returned function after the last. */
export function setup(): () => void {
  return () => {
    process.stdout.write(
      'Not run: test/fleet, which needs nginx, HAProxy, PgBouncer, and promtool (npm run test:fleet).\n',
    )
  }
}
