import { html } from '../../ui/html.ts'
import type { KeyCreatedTexts } from '../en/key-created.ts'
import type { Format } from '../format.ts'
import { common } from './common.ts'

export const keyCreated = (format: Format): KeyCreatedTexts => {
  const { requests, rows } = common(format)
  return {
    title: 'Ihr neuer Schlüssel',
    lead: (name) => html`Kopieren Sie den Schlüssel für <strong>${name}</strong> jetzt in das Tool.`,
    key: 'Schlüssel',
    warning:
      'Sie sehen diesen Schlüssel zehn Minuten lang, oder bis Sie bestätigen, dass Sie ihn kopiert haben. Danach können Sie ihn nur noch ersetzen.',
    firstRequest: 'Erste Anfrage',
    waiting: html`<strong>Wartet auf die erste Anfrage.</strong> Sie erscheint hier, wenige Sekunden nachdem das Tool läuft.`,
    rejected: (sent, { code, endpoint }) =>
      html`<strong>Abgelehnt:</strong> ${requests(sent)}, zuletzt <code>${code}</code> bei <code>${endpoint}</code>.`,
    connected: (sent, read) => html`<strong>Verbunden:</strong> ${requests(sent)}, ${rows(read)}.`,
    requestLog: 'Anfrageprotokoll',
    hasCopied: 'Ich habe den Schlüssel kopiert',
    recipes: 'Vorlagen für Ihr Tool',
    tryIt: {
      title: 'Ausprobieren',
      note: 'Fügen Sie diesen Befehl in ein Terminal ein. Er liefert die Angaben zu Ihrem Shop.',
      label: 'Shell-Befehl',
    },
    connect: {
      title: (tool) => `${tool} verbinden`,
      noteOfStoreSync: 'Fügen Sie diese Befehle in ein Terminal ein, im Ordner von store-sync.',
      commands: 'Shell-Befehle',
      guide: 'Anleitung öffnen',
    },
    old: {
      title: 'Der alte Schlüssel funktioniert noch',
      titleOff: 'Der alte Schlüssel ist ausgeschaltet',
      text: (name, key, endsAfter) =>
        html`Tragen Sie den neuen Schlüssel in das Tool ein. Der alte Schlüssel <strong>${name}</strong> (${key}) läuft ${format.duration(endsAfter)} nach der ersten Verwendung des neuen ab. Sie können den alten auch vorher widerrufen.`,
      firstChoice: (endsAfter) =>
        `Ihre neue Auswahl hat nichts geändert, denn dieses Formular hatte den neuen Schlüssel schon erstellt. ${endsAfter === null ? 'Der alte Schlüssel ist abgelaufen.' : `Der alte Schlüssel läuft ${format.duration(endsAfter)} nach der ersten Verwendung des neuen ab.`}`,
    },
    unavailable: {
      title: 'Dieser Schlüssel lässt sich nicht noch einmal anzeigen',
      lead: (name) => html`Den Schlüssel <strong>${name}</strong> gibt es, aber wir speichern keine Kopie davon.`,
      hasKey: 'Ich habe den Schlüssel',
      unused:
        'Wenn Sie den Schlüssel nicht kopiert haben, ersetzen Sie ihn. Sie bekommen einen neuen, und der alte wird widerrufen. Noch verwendet ihn kein Tool.',
      used: 'Ein Tool verwendet diesen Schlüssel schon. Sie können ihn ersetzen, ohne dass das Tool stehen bleibt.',
      replaceAtOnce: 'Durch einen neuen Schlüssel ersetzen',
    },
  }
}
