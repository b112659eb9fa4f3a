-- Edits a handoff with `handoff lsp`, and writes what Neovim knows after each step to
-- the file RESULT. Waits for conditions only.
local limit = 200000 -- milliseconds; reached only if something hangs
local results = {}

local function wait(what, condition)
  if not vim.wait(limit, condition, 10) then
    error('waited for ' .. what)
  end
end

local function attach(buffer)
  local config = { name = 'handoff', cmd = { 'handoff', 'lsp' }, root_dir = vim.fn.getcwd() }
  if vim.lsp.start then -- since 0.8
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, id)
  return id
end

local function found(buffer)
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(list, string.format('%d:%d-%d:%d %s %s', d.lnum, d.col, d.end_lnum, d.end_col, d.source, d.user_data and d.user_data.lsp.code or d.code))
  end
  table.sort(list)
  return list
end

local function ask(buffer, method, params)
  local path = vim.uri_from_bufnr(buffer)
  params.textDocument = { uri = path }
  local answers, failure = vim.lsp.buf_request_sync(buffer, method, params, limit)
  if not answers then
    error(method .. ': ' .. failure)
  end
  for _, answer in pairs(answers) do
    if answer.error then
      error(method .. ': ' .. answer.error.message)
    end
    return answer.result
  end
end

local function at(line, character)
  return { position = { line = line, character = character } }
end

local function fix(buffer, client, only, line)
  local last = vim.api.nvim_buf_line_count(buffer)
  local range = { start = { line = line or 0, character = 0 }, ['end'] = { line = line or last, character = 0 } }
  local actions = ask(buffer, 'textDocument/codeAction', { range = range, context = { only = { only }, diagnostics = {} } })
  for _, action in ipairs(actions) do
    vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(client).offset_encoding)
    return action.title
  end
end

local function session()
  local buffer = vim.api.nvim_get_current_buf()
  local client = attach(buffer)
  wait('diagnostics', function() return #found(buffer) > 0 end)
  results.opened = found(buffer)

  results.symbols = {}
  for _, symbol in ipairs(ask(buffer, 'textDocument/documentSymbol', {})) do
    table.insert(results.symbols, symbol.name)
    for _, child in ipairs(symbol.children or {}) do
      table.insert(results.symbols, child.name)
    end
  end
  results.hover = ask(buffer, 'textDocument/hover', at(5, 3)).contents.value
  results.links = #ask(buffer, 'textDocument/documentLink', {})
  results.definition = ask(buffer, 'textDocument/definition', at(6, 14)).uri

  results.lenses = {}
  for _, lens in ipairs(ask(buffer, 'textDocument/codeLens', {})) do
    table.insert(results.lenses, lens.command.title)
  end
  local top = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }
  for _, action in ipairs(ask(buffer, 'textDocument/codeAction', { range = top, context = { diagnostics = {} } })) do
    if action.command and action.command.command == 'handoff.claim' then
      ask(buffer, 'workspace/executeCommand', action.command)
    end
  end
  results.claimed = ask(buffer, 'textDocument/codeLens', {})[1].command.title

  -- Typing moves what comes after it; columns are those of Neovim, in bytes.
  vim.api.nvim_buf_set_text(buffer, 21, 2, 21, 2, { 'é😀 ' })
  wait('moved diagnostics', function() return not vim.deep_equal(found(buffer), results.opened) end)
  results.typed = found(buffer)

  results.fixed = fix(buffer, client, 'quickfix', 5)
  wait('one diagnostic less', function() return #found(buffer) == #results.typed - 1 end)
  results.all = fix(buffer, client, 'source.fixAll')
  wait('no fixable diagnostic', function() return #found(buffer) == 1 end)
  results.left = found(buffer)

  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, last, last, false, { '- Code: src/' })
  results.completion = {}
  for _, item in ipairs(ask(buffer, 'textDocument/completion', at(last, 12)).items) do
    table.insert(results.completion, item.label)
  end
  results.lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  results.modified = vim.bo[buffer].modified

  vim.cmd('edit! README.md')
  local readme = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(readme, client)
  results.readme = ask(readme, 'textDocument/hover', at(0, 0)) == nil and #found(readme)

  vim.lsp.stop_client(client)
  wait('the end of the server', function() return vim.lsp.get_client_by_id(client) == nil end)
end

local ok, failure = xpcall(session, debug.traceback)
results.failure = not ok and failure or nil
vim.fn.writefile({ vim.fn.json_encode(results) }, os.getenv('RESULT'))
vim.cmd('qall!')
