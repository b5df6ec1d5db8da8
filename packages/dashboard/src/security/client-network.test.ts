import { expect, test } from 'vitest'
import { clientNetwork } from './client-network.ts'

test.each([
  // connection, X-Forwarded-For, trusted proxies, expected address
  ['192.0.2.1', null, 0, '192.0.2.1'],
  ['192.0.2.1', null, 1, '192.0.2.1'],
  ['10.0.0.1', '198.51.100.7', 1, '198.51.100.7'],
  ['10.0.0.1', 'made up, 203.0.113.9, 198.51.100.7', 1, '198.51.100.7'],
  ['10.0.0.1', 'made up, 203.0.113.9, 10.0.0.2', 2, '203.0.113.9'],
  ['192.0.2.1', '198.51.100.7', 0, '192.0.2.1'],
  ['10.0.0.1', 'nonsense', 1, '10.0.0.1'],
  ['10.0.0.1', '198.51.100.7', 2, '10.0.0.1'],
  ['::ffff:192.0.2.1', null, 1, '192.0.2.1'],
  ['::1', '2001:db8:1:2:3:4:5:6', 1, '2001:db8:1:2::/64'],
  ['::1', '2001:0db8:0001:0002:ffff::1', 1, '2001:db8:1:2::/64'],
  ['::1', '2001:db8::1', 1, '2001:db8:0:0::/64'],
  ['fe80::1%eth0', null, 0, 'fe80:0:0:0::/64'],
  ['::1', null, 0, '0:0:0:0::/64'],
])(
  'if the connection is from %s, X-Forwarded-For is %j, and %i proxies are trusted, the client network is %s',
  (...row) => {
    const [connection, forwardedFor, proxies, expected] = row
    expect(clientNetwork(connection, forwardedFor, proxies)).toBe(expected)
  },
)
