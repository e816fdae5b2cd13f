// The command line of MCP's inspector.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { check, report } from './report.mjs'

const server = [`${process.env.ORDERLY_URL}/api/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${process.env.ORDERLY_TOKEN}`]

async function inspect(...given) {
  const { stdout } = await promisify(execFile)('node_modules/.bin/mcp-inspector', ['--cli', ...server, ...given], { cwd: import.meta.dirname })
  return stdout
}

const call = (tool, ...given) => inspect('--method', 'tools/call', '--tool-name', tool, ...given.flatMap((one) => ['--tool-arg', one]))

await report({
  async answer() {
    check((await inspect('--method', 'tools/list')).includes('list_matters'), 'tools/list')
    check((await call('list_matters')).includes(process.env.ORDERLY_MATTER), 'list_matters')
    const found = await call('isaacus_search', `matter_id=${process.env.ORDERLY_MATTER}`, 'query=governing law')
    check(found.includes('New South Wales'), found)
  },
  async refusals() {
    const said = await call('isaacus_search', 'matter_id=M-1999-001', 'query=law').catch((error) => `${error.stdout}${error.stderr}`)
    check(said.includes('not found'), said)
  },
})
