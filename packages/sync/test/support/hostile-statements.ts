// Statements that try to write, to read personal columns, or to keep the computer busy. An assistant can send them if
// it obeys a text in the data.

import { CANARY } from './assistant-copy.ts'

/** A personal value that the statements contain, so a result with it alone reveals nothing. */
export const GUESS = `${CANARY}-7@example.com`

/** Tables and columns with personal values, and how statements name the tables. */
const TABLES = ['orders', 'customers', 'customer_addresses', 'order_items', 'mailing_list', 'buyers', 'orders_overview']
const SCHEMAS = ['', 'main.', 'temp.', '"main".', '[temp].', '`main`.']
const COLUMNS = ['email', 'phone', 'name', 'shipping_address', 'first_name', 'processor_charge_id', 'metafields']

/** Statements that try to write. `folder` is a folder for files that must not exist afterwards. */
export function writingStatements(folder: string): string[] {
  const writes = TABLES.flatMap((table) => [
    `delete from ${table}`,
    `update ${table} set id = 'x'`,
    `insert into ${table} default values`,
    `replace into main.${table} values (1)`,
    `drop table ${table}`,
    `drop view temp.${table}`,
    `alter table ${table} add column x`,
    `create index x on ${table} (id)`,
    `create trigger x instead of delete on ${table} begin select 1; end`,
    `with x as (select 1) delete from ${table} where id in x returning *`,
    `explain delete from ${table}`,
  ])
  return [
    ...writes,
    ...[
      'journal_mode = delete',
      'writable_schema = on',
      'user_version = 7',
      'query_only = off',
      'foreign_keys = on',
    ].flatMap((pragma) => [`pragma ${pragma}`, `PRAGMA main.${pragma}`, `pragma/**/temp.${pragma}`]),
    `attach '${folder}/a.db' as a`,
    `ATTACH DATABASE '${folder}/a.db' AS main`,
    `attach ':memory:' as a`,
    'detach main',
    `vacuum into '${folder}/a.db'`,
    'vacuum',
    'reindex',
    'analyze',
    'begin immediate',
    'commit',
    'rollback',
    'savepoint a',
    'release replaced',
    'create table x (a)',
    'create temp table x as select 1',
    'create view x as select 1',
    `create virtual table x using fts5(a)`,
    `create virtual table temp.x using dbstat(main)`,
    `select load_extension('${folder}/a.so')`,
    `select LOAD_EXTENSION('a', 'b')`,
    `select writefile('${folder}/a', 'x')`,
    `select readfile('/etc/passwd')`,
    `select edit('a')`,
    `select fts3_tokenizer('simple', x'00')`,
    `select rtreecheck('main', 'orders')`,
    `update sqlite_schema set sql = ''`,
    `delete from sqlite_temp_schema`,
    `insert into sqlite_stat1 values (1, 2, 3)`,
    `select 1; delete from orders`,
    `select 1;;; /* */ drop view orders`,
    `select 1 -- \n; delete from orders`,
    `select 1\0; delete from orders`,
    `/* select 1 */ delete from orders`,
    `--\ndelete from orders`,
    `;delete from orders`,
    `select 1; /* ; */ -- ;\n update orders set status = ''`,
  ]
}

/** Statements that try to read a personal value. */
export function readingStatements(): string[] {
  const value = `'${GUESS}'`
  const direct = TABLES.flatMap((table) => [
    ...SCHEMAS.map((schema) => `select * from ${schema}${table}`),
    ...SCHEMAS.map((schema) => `select x.* from ${schema}"${table}" as x not indexed`),
    ...COLUMNS.map((column) => `select ${column} from ${table}`),
    `select max(email) from ${table} group by "name" having [email] > ''`,
    `select count(*), group_concat(email) over () from ${table}`,
    `select (select email from ${table} limit 1)`,
    `select 1 from ${table} where email = ${value}`,
    `select json_group_array(json_object('e', email)) from ${table}`,
    `with x(e) as (select email from ${table}) select e from x`,
    `select id, email from ${table} full join (select 1 as email) using (email)`,
    `select * from ${table} natural join (select ${value} as email)`,
    `select x.id from ${table} x join (select ${value} as email) y using (email) where 'hidden' <> ''`,
    `select * from ${table} where rowid in (select rowid from ${table} order by email)`,
  ])
  return [
    ...direct,
    'select orders.id, email from orders full join customers using (email)',
    'select email from main.orders full join main.customers using (email)',
    'select 1 where ?1natural join customers',
    'select * from mailing_list natural full join mailing_list',
    'select email, note from mailing_list full join (select 1 as email) using (email)',
    ...[
      'sqlite_schema',
      'sqlite_master',
      'sqlite_temp_schema',
      'sqlite_temp_master',
      'sqlite_stat1',
      'sqlite_stat4',
    ].flatMap((table) => [
      `select * from ${table}`,
      `select * from "${table}" full join (select 1 as sql) using (sql)`,
    ]),
    'select * from dbstat',
    'select * from dbstat full join (select 1 as name) using (name)',
    'select * from sqlite_dbpage',
    ...['table_info', 'table_xinfo', 'database_list', 'index_list', 'compile_options', 'table_list'].map(
      (pragma) => `select * from pragma_${pragma}('orders')`,
    ),
    'select * from pragma_database_list full join (select 1 as name) using (name)',
    'pragma database_list',
    'pragma table_info(orders)',
    'select * from bytecode',
    `select * from tables_used('select * from orders')`,
    'select * from fts5vocab',
    'explain select email from orders',
    `explain query plan select * from orders where email = ${value}`,
    'select sqlite_compileoption_get(1)',
    'select _sync_copy.* from _sync_copy',
    'select * from _sync_unfinished natural full join _sync_seen',
  ]
}

/** Statements that would run or grow for a long time. */
export function expensiveStatements(): string[] {
  const count = 'with recursive c(n) as (select 1 union all select n + 1 from c)'
  return [
    `${count} select count(*) from c`,
    `${count} select n from c where n < 0`,
    `${count} select group_concat(n) from c`,
    `${count} select n from c order by -n`,
    `with recursive c(n, z) as (select 1, zeroblob(16000000) union all select n + 1, randomblob(16000000) from c) select * from c order by z`,
    `with recursive c(z) as (select hex(randomblob(500000)) union select hex(randomblob(500000)) from c) select max(z) from c`,
    'select count(*) from orders a, orders b, orders c, orders d',
    'select * from order_items a, order_items b, order_items c order by a.id, b.id desc, c.name',
    `select 1 from orders where id like '${'%a'.repeat(2000)}b' or (select count(*) from orders x, orders y, orders z) > 0`,
    `select ${'('.repeat(900)}1${')'.repeat(900)} from order_items a, order_items b, order_items c where a.id = b.name`,
  ]
}

/** Statements that are too large for SQLite or for the tool, and end at once. */
export function hugeStatements(): string[] {
  return [
    'select zeroblob(2000000000)',
    `select printf('%2000000000d', 1)`,
    `select replace(hex(zeroblob(8000000)), '0', 'xxxxxxxxxx')`,
    `select '${'x'.repeat(9000)}'`,
    `select '${'x'.repeat(200_000)}'`,
    `select ${'('.repeat(4000)}1${')'.repeat(4000)}`,
    `select ${Array.from({ length: 1900 }, () => '1').join(' + ')}`,
    Array.from({ length: 600 }, () => 'select 1').join(' union all '),
    `select * from ${Array.from({ length: 70 }, () => 'orders').join(', ')}`,
    `select ${'/**/'.repeat(2000)} 1; ${'/**/'.repeat(400)} x`,
    `select ${'-'.repeat(2000)}1`,
    ' '.repeat(9000),
    '',
    ';',
    '\u0000',
    '\ud800',
    'select 9223372036854775807, -9223372036854775808, 9e999, -9e999, 0/0',
  ]
}
