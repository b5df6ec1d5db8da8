/** Thrown for a wrong option, argument or environment variable. The message says what to change. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}
