// Says at the end of `npm test` what it does not run: tests for which npm cannot bring the programs.

/** Run by vitest before the first test; the function it answers is run after the last. */
export function setup(): () => void {
  return () => {
    process.stdout.write(
      'Left out: test/fleet, which needs nginx, HAProxy, PgBouncer and promtool (npm run test:fleet).\n',
    )
  }
}
