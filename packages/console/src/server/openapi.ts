// The API document, from the same definitions the server runs on.
import { consoleVersion } from './version.js'
import { errorCodes } from '../protocol/error.js'
import { ok, publicRoute, type Route } from './routing/route.js'
import type { Schema } from './routing/schema-check.js'

const openApiPath = '/api/openapi.json'

export function openApiRoute(routes: readonly Route[]): Route {
  const document = describeApi(routes)
  return publicRoute({
    method: 'GET',
    path: openApiPath,
    summary: 'This document',
    tag: 'health',
    answers: { 200: { description: 'OpenAPI 3.1' } },
    handle: async () => ok(document),
  })
}

function describeApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll('...}', '}')
    const methods = (paths[path] ??= {})
    methods[route.method.toLowerCase()] = describeRoute(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Edictum console', version: consoleVersion },
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: edk_<environment>_<43 characters>.',
        },
        session: { type: 'apiKey', in: 'cookie', name: 'edictum_session' },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['detail', 'code'],
          properties: {
            detail: { type: 'string' },
            code: { type: 'string', enum: errorCodes },
            errors: { type: 'array', items: { type: 'object' } },
          },
        },
      },
    },
  }
}

function describeRoute({ summary, tag, access, path, query, body, answers }: Route): object {
  const security = [
    ...(access?.scopes === undefined ? [] : [{ key: [] }]),
    ...(access?.roles === undefined ? [] : [{ session: [] }]),
  ]
  return {
    summary,
    tags: [tag],
    security,
    ...(access === undefined ? {} : { 'x-scopes': access.scopes ?? [], 'x-roles': access.roles ?? [] }),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, schema }]) => [
          status,
          { description, content: jsonContent(schema ?? { type: 'object' }) },
        ]),
      ),
      default: {
        description: 'refused',
        content: jsonContent({ $ref: '#/components/schemas/Error' }),
      },
    },
  }
}

function jsonContent(schema: Schema): object {
  return { 'application/json': { schema } }
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(query: Schema | undefined): readonly object[] {
  const properties = (query?.['properties'] ?? {}) as Record<string, Schema>
  const required = (query?.['required'] ?? []) as readonly string[]
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}
