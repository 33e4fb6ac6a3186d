/**
 * The key of an advisory lock. While a test holds the lock exclusively, an index that is built on the stand-in makes no
 * progress, like a build that takes hours.
 */
export const BUILD_GATE = 4_711

/**
 * The part of pgvector that the vector index uses, for a server without pgvector. Its types store bytes unchanged, its
 * access method is the B-tree, and all distances are 0. It serves tests of which process builds, waits or stops; PGlite
 * has the real pgvector, but only one connection.
 */
export const PGVECTOR_STAND_IN: Readonly<Record<string, string>> = {
  'vector.control': `default_version = '0.8.0'\nrelocatable = true\n`,
  'vector--0.8.0.sql': [
    ...['vector', 'halfvec'].flatMap((type) => [
      `create type ${type};`,
      `create function ${type}_in(cstring) returns ${type} language internal immutable strict as 'byteain';`,
      `create function ${type}_out(${type}) returns cstring language internal immutable strict as 'byteaout';`,
      `create function ${type}_recv(internal) returns ${type} language internal immutable strict as 'bytearecv';`,
      `create function ${type}_send(${type}) returns bytea language internal immutable strict as 'byteasend';`,
      `create function ${type}_typmod(cstring[]) returns integer language internal immutable strict as 'varchartypmodin';`,
      `create type ${type} (input = ${type}_in, output = ${type}_out, receive = ${type}_recv, send = ${type}_send,
         typmod_in = ${type}_typmod, storage = external);`,
      `create function ${type}_distance(${type}, ${type}) returns float8 language sql immutable as 'select 0::float8';`,
      `create operator <=> (leftarg = ${type}, rightarg = ${type}, function = ${type}_distance);`,
    ]),
    `create function vector_to_halfvec(vector, integer, boolean) returns halfvec language plpgsql immutable as $$
     begin
       perform pg_catalog.pg_advisory_xact_lock_shared(${BUILD_GATE});
       return null;
     end $$;`,
    `create cast (vector as halfvec) with function vector_to_halfvec(vector, integer, boolean);`,
    ...[...Object.entries({ '<': 'lt', '<=': 'le', '=': 'eq', '>=': 'ge', '>': 'gt' })].flatMap(([operator, name]) => [
      `create function halfvec_${name}(halfvec, halfvec) returns boolean language internal immutable strict as 'bytea${name}';`,
      `create operator ${operator} (leftarg = halfvec, rightarg = halfvec, function = halfvec_${name});`,
    ]),
    `create function halfvec_cmp(halfvec, halfvec) returns integer language internal immutable strict as 'byteacmp';`,
    `create access method hnsw type index handler bthandler;`,
    `create operator class halfvec_cosine_ops for type halfvec using hnsw as
       operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 halfvec_cmp(halfvec, halfvec);`,
  ].join('\n'),
}
