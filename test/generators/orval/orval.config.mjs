export default {
  store: {
    input: './openapi.json',
    output: { target: './generated/client.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
}
