import { describe, expect, test } from 'vitest'
import { InvalidDashboardUrlError, InvalidFrameAncestorError, originsOf, parseFrameAncestors } from './origins.ts'

describe('originsOf', () => {
  test('if the dashboard URL uses https, isOwnOrigin returns true only for the origin of that URL', () => {
    const { url, isSecure, isOwnOrigin } = originsOf('https://dashboard.example.com/')
    expect({ url, isSecure }).toEqual({ url: 'https://dashboard.example.com', isSecure: true })
    expect(isOwnOrigin('https://dashboard.example.com')).toBe(true)
    for (const origin of [
      'http://dashboard.example.com',
      'https://dashboard.example.com:8443',
      'https://evil.dashboard.example.com',
      'https://dashboard.example.com.evil.example',
      'null',
      null,
    ])
      expect(isOwnOrigin(origin), String(origin)).toBe(false)
  })

  test('if the dashboard URL is http://127.0.0.1:8081, isOwnOrigin and isOwnHost also accept localhost:8081 and [::1]:8081', () => {
    const { isSecure, isOwnOrigin, isOwnHost } = originsOf('http://127.0.0.1:8081')
    expect(isSecure).toBe(false)
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(isOwnOrigin(`http://${name}:8081`)).toBe(true)
      expect(isOwnHost(`${name}:8081`)).toBe(true)
    }
    expect(isOwnOrigin('http://127.0.0.1:8080')).toBe(false)
    expect(isOwnHost('rebound.example:8081')).toBe(false)
    expect(isOwnHost(null)).toBe(false)
  })

  test.each(['http://dashboard.example.com', 'http://192.0.2.1:8081', 'ftp://127.0.0.1', 'dashboard.example.com', ''])(
    'if the dashboard URL is the invalid value %j, originsOf throws InvalidDashboardUrlError',
    (url) => {
      expect(() => originsOf(url)).toThrow(InvalidDashboardUrlError)
    },
  )

  test('if the dashboard URL has a path, originsOf throws an error that says "must have no path"', () => {
    expect(() => originsOf('https://example.com/dashboard')).toThrow('must have no path')
  })
})

describe('parseFrameAncestors', () => {
  test('parseFrameAncestors splits origins at commas and spaces, converts them to lowercase, and removes trailing slashes', () => {
    expect(
      parseFrameAncestors('https://admin.example.com, https://Shop.example.com:8443/ http://localhost:3000'),
    ).toEqual(['https://admin.example.com', 'https://shop.example.com:8443', 'http://localhost:3000'])
    expect(parseFrameAncestors('')).toEqual([])
  })

  test.each([
    'https://*.example.com',
    '*',
    'admin.example.com',
    'http://admin.example.com',
    'https://admin.example.com/settings',
    "https://admin.example.com;script-src-'unsafe-inline'",
    'data:text/html,x',
  ])('if a frame ancestor is the invalid value %j, parseFrameAncestors throws InvalidFrameAncestorError', (list) => {
    expect(() => parseFrameAncestors(list)).toThrow(InvalidFrameAncestorError)
  })
})
