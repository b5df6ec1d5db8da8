/**
 * Folder of the npm package with the tests' PostgreSQL; undefined for the lockfile's. `npm run test:versions` sets it.
 */
export const POSTGRES_PACKAGE = process.env.STORE_EXPORT_TEST_POSTGRES_PACKAGE
