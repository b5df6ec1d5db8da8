// Texts of the emails about keys and directory tokens, and of the page that stops the emails about a key.

import type { Duration, Format } from '../format.ts'

export const emails = ({ duration }: Format) => ({
  subject: (store: string, problem: string) => `${store}: ${problem}`,
  failing: (name: string) => `${name} gets only errors`,
  stopped: (name: string) => `${name} stopped in the middle of a list`,
  silent: (name: string) => `${name} stopped sending requests`,
  other: (name: string) => `${name} has a problem`,
  sentence: (name: string, health: string) => `${name}: ${health}`,
  overLimit: {
    subject: (name: string) => `${name} sends too many requests`,
    sentence: (name: string) =>
      `${name} was over the rate limit in this hour and the hour before. The tool must wait after a response with status 429.`,
  },
  ending: {
    subject: (name: string) => `The key of ${name} ends soon`,
    sentence: (name: string, left: Duration) =>
      `The key of ${name} ends in ${duration(left)}. Replace it before then, so that the tool continues to work.`,
    sentenceForViewer: (name: string, left: Duration) =>
      `The key of ${name} ends in ${duration(left)}. Ask an admin of the store to replace it before then, so that the tool continues to work.`,
  },
  facts: (store: string, key: string) => `Store: ${store}\nKey: ${key}`,
  log: (url: string) => `See what the tool did:\n${url}`,
  foot: (timeZone: string, muteUrl: string) =>
    `Times are in the time zone ${timeZone}. You get this email at most once a day. To get no more emails about this key, open:\n${muteUrl}`,
  leaked: {
    subject: (store: string, name: string) => `${store}: The key of ${name} was found in public and is revoked`,
    sentence: (name: string) =>
      `The key of ${name} was found in public. Anyone who saw it could read the data of your store, so the service revoked it. The tool no longer gets data.`,
    facts: (store: string, key: string, place: string) => `Store: ${store}\nKey: ${key}\nFound at: ${place}`,
    createKey: (url: string) => `Create a new key, and put it into the tool:\n${url}`,
    askAdmin: (url: string) => `Ask an admin of the store for a new key. The members are at:\n${url}`,
    seeUsage: (url: string) => `See what was read with the old key:\n${url}`,
    removeKey:
      'Remove the old key from the place where it was found, so that no one tries it again. Keep the new key in a secret store, not in a file of a repository.',
    unknownPlace: 'the report does not say where',
  },
  leakedToken: {
    subject: (store: string) => `${store}: A directory token was found in public and is revoked`,
    sentence:
      'A token for your company’s directory was found in public. Anyone who saw it could add and remove members of your store, so the service revoked it.',
    facts: (store: string, token: string, place: string) => `Store: ${store}\nToken: ${token}\nFound at: ${place}`,
    checkMembers: (url: string) => `Check who is a member of the store:\n${url}`,
    seeActivity: (url: string) => `See what the directory’s tokens have changed:\n${url}`,
    createToken: (url: string) => `Create a new token, and enter it in the directory:\n${url}`,
    removeToken: 'Remove the old token from the place where it was found.',
    unknownPlace: 'the report does not say where',
  },
  directoryEnded: {
    subject: (store: string) => `${store}: Your directory can no longer add and remove members`,
    sentence:
      'The last token of your company’s directory was revoked, or its creator is no longer an admin. People who leave your company now keep their access to the store.',
    facts: (store: string, token: string) => `Store: ${store}\nToken: ${token}`,
    seeActivity: (url: string) => `See who ended the token:\n${url}`,
    createToken: (url: string) => `Create a new token, and enter it in the directory:\n${url}`,
    checkMembers: (url: string) => `If you no longer use the directory, remove people who have left here:\n${url}`,
  },
  mute: {
    heading: 'Stop the emails about this key?',
    text: 'Emails about your other keys continue. If this key is found in public, you still get an email.',
    button: 'Stop the emails',
    done: 'You get no more emails about this key',
    doneText: 'To get them again, sign in, open the key, and choose “Send me emails”.',
    openDashboard: 'Open the dashboard',
  },
})

export type EmailsTexts = ReturnType<typeof emails>
