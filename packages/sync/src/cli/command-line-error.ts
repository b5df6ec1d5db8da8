/** Thrown for a wrong option, argument or environment variable. The message names it and says what is accepted. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}
