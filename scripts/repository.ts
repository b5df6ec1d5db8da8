/**
 * Address of the repository, such as https://github.com/owner/name, from the variables of GitHub Actions. Undefined
 * elsewhere: no file of the repository names it, so a fork releases under its own address.
 */
export function repositoryUrl(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return server === undefined || repository === undefined ? undefined : `${server}/${repository}`
}
