// Configures orval to generate a client that sends its requests with `fetch`.

export default {
  store: {
    input: './openapi.json',
    output: { target: './generated/client.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
}
