import OpenAI, { toFile } from 'openai'
import { LOAN, check, refused, report } from './report.mjs'

const client = new OpenAI({ baseURL: `${process.env.ORDERLY_URL}/v1`, apiKey: process.env.ORDERLY_TOKEN })
const search = { type: 'file_search', vector_store_ids: [process.env.ORDERLY_MATTER] }
const ask = (input, more) => client.responses.create({ model: 'orderly', input, tools: [search], ...more })

await report({
  async answer() {
    const response = await ask('Which law governs the lease?')
    check(response.output_text.includes('New South Wales'), response.output_text)
    const completion = await client.chat.completions.create({
      model: 'orderly',
      messages: [{ role: 'user', content: 'Which law governs the lease?' }],
      metadata: { matter: process.env.ORDERLY_MATTER },
    })
    check(completion.choices[0].message.content.includes('New South Wales'), completion)
  },
  async stream() {
    const response = await client.responses.stream({ model: 'orderly', input: 'Which law governs the lease?', tools: [search] })
    check((await response.finalResponse()).output_text.includes('New South Wales'), 'responses')
    const completion = client.chat.completions.stream({
      model: 'orderly',
      messages: [{ role: 'user', content: 'Which law governs the lease?' }],
      metadata: { matter: process.env.ORDERLY_MATTER },
    })
    check((await completion.finalContent()).includes('New South Wales'), 'chat completions')
  },
  async 'follow-up'() {
    const first = await ask('Which law governs the lease?')
    const second = await ask('How long is the term?', { previous_response_id: first.id })
    check(second.output_text.includes('five (5) years'), second.output_text)
    const conversation = await client.conversations.create({})
    await ask('Which law governs the lease?', { conversation: conversation.id })
    const roles = []
    for await (const item of client.conversations.items.list(conversation.id, { order: 'asc' })) roles.push(item.role)
    check(roles.join() === 'user,assistant', roles)
  },
  async instructions() {
    const response = await ask([{ role: 'developer', content: 'In one sentence.' }, { role: 'user', content: 'Which law governs the lease?' }], { instructions: 'Answer briefly.' })
    check(response.output_text.includes('New South Wales') && response.instructions === 'Answer briefly.', response)
  },
  async citations() {
    const response = await ask('Which law governs the lease?', { include: ['file_search_call.results'] })
    const text = response.output.at(-1).content[0]
    check(text.annotations[0].filename === 'lease.txt', text)
    check(response.output[0].results[0].text.includes('New South Wales'), response.output[0])
  },
  async files() {
    const data = `data:text/plain;base64,${Buffer.from(LOAN).toString('base64')}`
    const file = { type: 'input_file', filename: 'loan.txt', file_data: data }
    const question = { type: 'input_text', text: 'Which interest does the borrower pay?' }
    const response = await client.responses.create({ model: 'orderly', input: [{ role: 'user', content: [file, question] }] })
    check(response.output_text.includes('7 per cent'), response.output_text)
    const store = await client.vectorStores.create({ name: 'Loans' })
    const added = await client.vectorStores.files.uploadAndPoll(store.id, await toFile(Buffer.from(LOAN), 'loan.txt'))
    check(added.status === 'completed', added)
    const found = await client.vectorStores.search(store.id, { query: 'interest' })
    check(found.data[0].filename === 'loan.txt', found)
  },
  async refusals() {
    const tool = { type: 'function', name: 'f', parameters: {}, strict: false }
    await refused(() => ask('x', { tools: [tool] }), 'works with its own tools')
    await refused(() => ask('x', { tools: [{ ...search, filters: { type: 'eq', key: 'a', value: 'b' } }] }), "no attribute 'a' to filter by")
    await refused(() => ask('x', { tools: [{ ...search, vector_store_ids: ['M-1999-001'] }] }), 'not found')
  },
})
