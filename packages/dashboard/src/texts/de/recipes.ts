import { html } from '../../ui/html.ts'
import type { RecipeId, RecipesTexts, RecipeTexts } from '../en/recipes.ts'

export const recipes = (): RecipesTexts => ({
  title: 'Vorlagen',
  lead: (apiHref) =>
    html`Code, den Sie in ein Tool kopieren können. Sie brauchen <a href="${apiHref}">einen Schlüssel</a>. Jede Vorlage wiederholt fehlgeschlagene Anfragen selbst. Alle außer Power Query machen nach einem Abbruch dort weiter, wo sie waren.`,
  reference: 'API-Referenz',
  syncStore: 'Den ganzen Shop abrufen',
  openGuide: 'Anleitung öffnen',
  guides: {
    'store-sync': {
      title: 'store-sync',
      note: 'Ein Befehl, der eine Kopie in SQLite, DuckDB, PostgreSQL, MySQL, CSV, Excel oder Parquet aktuell hält.',
    },
    client: {
      title: 'TypeScript-Client',
      note: 'Ein typisierter Client, der von selbst blättert, wartet und wiederholt.',
    },
    'incremental-sync': {
      title: 'Nur Änderungen abrufen',
      note: 'Wie Sie nur Änderungen lesen, in fünf Programmiersprachen. Die Anleitung ist auf Englisch.',
    },
  },
  recipes: RECIPES,
})

const program = (file: string, run: string, needs: string) =>
  `Speichern Sie den Code als ${file}, setzen Sie STORE_EXPORT_KEY auf Ihren Schlüssel, und starten Sie ihn mit ${run}. ${needs} Geänderte Bestellungen werden an orders.jsonl angehängt. Jeder Lauf macht dort weiter, wo der letzte aufgehört hat.`

const RECIPES: Readonly<Record<RecipeId, RecipeTexts>> = {
  curl: { note: program('orders.sh', 'bash', 'Er braucht curl und jq.'), steps: [] },
  typescript: { note: program('orders.ts', 'Node 24', 'Er braucht keine Pakete.'), steps: [] },
  python: { note: program('orders.py', 'Python 3', 'Er braucht keine Pakete.'), steps: [] },
  'google-sheets': {
    note: 'Ein Tabellenblatt für jede Tabelle, mit allen Spalten. Jeder Lauf ruft nur Änderungen ab, entfernt gelöschte Zeilen und macht dort weiter, wo der letzte aufgehört hat. Für bis zu 150.000 Bestellungen.',
    steps: [
      'Öffnen Sie in Ihrer Tabelle Erweiterungen > Apps Script. Ersetzen Sie den Code durch dieses Skript, und speichern Sie.',
      'Laden Sie die Tabelle neu. Das Menü Store export erscheint.',
      'Wählen Sie Store export > Connect, erlauben Sie das Skript, und geben Sie Ihren Schlüssel ein.',
      'Wählen Sie Store export > Export now und danach Store export > Export every hour.',
    ],
  },
  'power-query': {
    note: 'Eine Funktion, die jede Tabelle mit einem Typ für jede Spalte lädt. Jede Aktualisierung lädt die ganze Tabelle, denn Power Query speichert dazwischen nichts. Power BI kann nur neue Bestellungen aktualisieren. Für bis zu 100.000 Bestellungen.',
    steps: [
      'Legen Sie im Power-Query-Editor den Textparameter StoreExportKey mit Ihrem Schlüssel an.',
      'Legen Sie eine leere Abfrage mit dem Namen StoreExport an, öffnen Sie den erweiterten Editor, und fügen Sie diese Funktion ein.',
      'Legen Sie für jede Tabelle eine leere Abfrage an: = StoreExport("orders"). Die Tabellen sind store, orders, order_items, customers, customer_addresses, customer_groups, products, product_variants, categories und locations.',
      'Wählen Sie als Anmeldeinformationen Anonym, denn der Schlüssel steht in einem Header.',
      'In Power BI ist = StoreExport("orders", [created_since = RangeStart, created_until = RangeEnd]) bereit für die inkrementelle Aktualisierung.',
    ],
  },
  n8n: {
    note: 'Für n8n ohne Community-Nodes. Sonst installieren Sie n8n-nodes-store-export. Importieren Sie den Code als Workflow. Wählen Sie in „Get a page“ Zugangsdaten vom Typ Header Auth mit dem Namen x-api-key und Ihrem Schlüssel als Wert. Ersetzen Sie den Node „Your tool“ durch Ihr Tool, und aktivieren Sie den Workflow. Er gibt jede Stunde geänderte Bestellungen weiter und macht dort weiter, wo der letzte Lauf aufgehört hat.',
    steps: [],
  },
}
