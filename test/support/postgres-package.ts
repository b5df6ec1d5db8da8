/**
 * Folder of the npm package with the PostgreSQL of the tests; undefined for the one in the lockfile. `npm run test:versions`
 * sets it.
 */
export const POSTGRES_PACKAGE = process.env.STORE_EXPORT_TEST_POSTGRES_PACKAGE
