// Settings of the admin API, which runs only if it has a port.

import type { Setting } from './setting.ts'

/** Address and TLS of the admin API. */
export const ADMIN_SETTINGS = {
  adminPort: {
    env: 'STORE_EXPORT_ADMIN_PORT',
    kind: 'integer',
    default: 0,
    unit: 'port',
    min: 0,
    max: 65_535,
    help: 'Port of the admin API, such as 9091. The backend of a platform creates stores and keys with this API. 0 turns the API off.',
  },
  adminHost: {
    env: 'STORE_EXPORT_ADMIN_HOST',
    kind: 'string',
    default: '127.0.0.1',
    help: 'Address on which the admin API listens. For a backend on a different machine, set a private address, and turn on TLS.',
  },
  adminTlsCertFile: {
    env: 'STORE_EXPORT_ADMIN_TLS_CERT_FILE',
    kind: 'string',
    default: null,
    help: 'Path of the certificate of the admin API with its chain, in PEM. Requires STORE_EXPORT_ADMIN_TLS_KEY_FILE.',
  },
  adminTlsKeyFile: {
    env: 'STORE_EXPORT_ADMIN_TLS_KEY_FILE',
    kind: 'string',
    default: null,
    help: 'Path of the private key of the certificate, in PEM. Requires STORE_EXPORT_ADMIN_TLS_CERT_FILE.',
  },
  adminTlsClientCaFile: {
    env: 'STORE_EXPORT_ADMIN_TLS_CLIENT_CA_FILE',
    kind: 'string',
    default: null,
    help: 'Path of a file with the CA certificates that sign client certificates, in PEM. With this setting, the admin API accepts only clients with such a certificate. Requires the certificate and its key.',
  },
} as const satisfies Record<string, Setting>
