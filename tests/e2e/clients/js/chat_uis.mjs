// The requests of agent-chat-ui and deep-agents-ui, as their sources build them on the LangGraph SDK (argument: which of the two).
// Not the pages themselves: building two Next.js programs has no place in a test.
import { Client } from '@langchain/langgraph-sdk'
import { randomUUID } from 'node:crypto'
import { LOAN, check, refused, report } from './report.mjs'

const deep = process.argv[2] === 'deep-agents-ui'
const client = deep
  ? new Client({ apiUrl: process.env.ORDERLY_URL, defaultHeaders: { 'Content-Type': 'application/json', 'X-Api-Key': process.env.ORDERLY_TOKEN } })
  : new Client({ apiUrl: process.env.ORDERLY_URL, apiKey: process.env.ORDERLY_TOKEN })
const { thread_id } = await client.threads.create()
const matter = ` (${process.env.ORDERLY_MATTER})`

async function submit(content, thread = thread_id) {
  const message = { id: randomUUID(), type: 'human', content }
  const options = deep
    ? { config: { recursion_limit: 100 }, streamMode: ['values', 'updates', 'messages-tuple'], onDisconnect: 'continue' }
    : { streamMode: ['values'], streamSubgraphs: true, streamResumable: true, onDisconnect: 'continue' }
  let values = {}
  for await (const part of client.runs.stream(thread, 'orderly', { input: { messages: [message] }, ...options })) {
    if (part.event === 'error') throw new Error(part.data.message)
    if (part.event === 'values') values = part.data
  }
  return values.messages.at(-1).content
}

const attached = (type, mimeType, content, metadata) => ({ type, mimeType, data: Buffer.from(content).toString('base64'), metadata })
const text = (words) => (deep ? words : [{ type: 'text', text: words }])

await report({
  async answer() {
    check((await fetch(`${process.env.ORDERLY_URL}/info`)).ok, 'info')
    const answer = await submit(text(`Which law governs the lease?${matter}`))
    check(answer.includes('New South Wales'), answer)
    const [assistant] = await client.assistants.search({ graphId: 'orderly' })
    check(assistant.metadata.created_by === 'system', assistant)
  },
  async 'follow-up'() {
    check((await submit(text(`How long is the term?${matter}`))).includes('five (5) years'), 'answer')
    const threads = await client.threads.search(deep ? { limit: 20, sortBy: 'updated_at', sortOrder: 'desc' } : { metadata: { graph_id: 'orderly' }, limit: 100 })
    check(threads.some((thread) => thread.thread_id === thread_id), threads.length)
    check((await client.threads.getHistory(thread_id)).length > 0, 'history')
  },
  ...(deep
    ? {}
    : {
        async files() {
          const other = (await client.threads.create()).thread_id
          const pdf = attached('file', 'application/pdf', Buffer.from(process.env.ORDERLY_PDF, 'base64'), { filename: 'loan.pdf' })
          const answer = await submit([{ type: 'text', text: 'Which interest does the borrower pay?' }, pdf], other)
          check(answer.includes('7 per cent') && answer.includes('loan.pdf'), answer)
          const alone = await submit([attached('image', 'image/png', Buffer.from(process.env.ORDERLY_PNG, 'base64'), { name: 'deed.png' })], other)
          check(alone.includes('deed.png'), alone)
        },
      }),
  async refusals() {
    if (deep) await refused(() => client.threads.updateState(thread_id, { values: { files: { 'notes.md': LOAN } } }), '')
    else await refused(() => submit([attached('file', 'application/pdf', '', { filename: 'empty.pdf' })]), 'cannot be read here')
  },
})
