/**
 * Returns the address of the repository, such as https://github.com/owner/name, from the variables of GitHub Actions.
 * Returns undefined elsewhere. No file names the address, so that a fork releases under its own address.
 */
export function repositoryUrl(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return server === undefined || repository === undefined ? undefined : `${server}/${repository}`
}
