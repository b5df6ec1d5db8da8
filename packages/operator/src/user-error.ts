// Declares the errors that the operator can fix, and the exit codes of the command.

/** Exit code of a command that did its work. */
export const EXIT_DONE = 0
/** Exit code after an error, and of `doctor` if it finds an error or a warning. */
export const EXIT_FAILED = 1
/** Exit code for wrong arguments or options. */
export const EXIT_USAGE = 2
/**
 * Exit code if a database can't be reached or is out of resources, so the same command can succeed later: EX_TEMPFAIL
 * of sysexits.h.
 */
export const EXIT_UNREACHABLE = 75

/** An error that the operator can fix. `message` is one sentence that says what happened, why, and what to do. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
}

/** Thrown for wrong arguments or options. The command exits with `EXIT_USAGE`. */
export class UsageError extends UserError {
  override readonly name = 'UsageError'
}
