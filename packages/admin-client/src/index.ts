// TypeScript client of the admin API, with which the backend of a platform creates stores, keys, and members.

export { AdminClient, type AdminClientOptions } from './admin-client.ts'
export { AdminApiError, AdminConnectionError } from './errors.ts'
export type * from './generated/admin-methods.ts'
export type { CallOptions, PostOptions } from './request.ts'
