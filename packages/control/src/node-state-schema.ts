// Adds the state of nodes to the control database, for `store-export status`.

/** SQL of the ninth migration. Nodes of an earlier version write neither column. */
export const NODE_STATE_SCHEMA = `
  alter table nodes
    add column version text,
    -- what the node uses of each database server: an array of objects, as nodes.ts writes them
    add column servers jsonb not null default '[]'`
