// The PostgreSQL that tests start.

/** Folder of the npm package that has its programs; undefined for the one of the lockfile. `npm run test:versions` sets it. */
export const POSTGRES_PACKAGE = process.env.STORE_EXPORT_TEST_POSTGRES_PACKAGE
