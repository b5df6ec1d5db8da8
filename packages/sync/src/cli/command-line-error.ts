/** Thrown for a wrong option, argument or environment variable. The message names it and the accepted values. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}
