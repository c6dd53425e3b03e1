//===- Parser.h - PTX text to ir::Module
//------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_PARSE_PARSER_H
#define ATTN_LIB_PTXSIM_PARSE_PARSER_H

#include "PTXSim/IR/Module.h"
#include "PTXSim/Parse/Lexer.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace attn::ptx {

/// Recursive descent over the tokens. The first error stops it: `failed` is
/// set, and each function returns early without a value of meaning.
class Parser {
public:
  explicit Parser(llvm::StringRef text);
  llvm::Expected<ir::Module> run();

private:
  // Parser.cpp: tokens, module level.
  void advance();
  Token peek();
  bool error(const llvm::Twine &message);
  bool errorAt(uint32_t line, const llvm::Twine &message);
  bool expect(char c);
  bool accept(char c);
  bool acceptWord(llvm::StringRef word);
  bool word(llvm::StringRef &out, llvm::StringRef what);
  bool integer(uint64_t &out);
  bool skipBraces();
  bool skipStatement();
  bool parseTopLevel();
  bool parseHeader();

  // ParserVariables.cpp
  bool parseVariables(ir::Space space, bool isExtern,
                      std::vector<ir::Variable> &into, bool scoped);
  bool parseVariableType(ir::Variable &var, unsigned &vector);
  bool parseDimensions(ir::Variable &var, uint64_t &count);
  bool parseInitialiser(ir::Variable &var, unsigned depth);
  bool parseInitialValue(ir::Variable &var, uint64_t offset);
  bool parseParameter(ir::Variable &var);

  // ParserFunction.cpp
  bool parseFunction(bool isKernel, bool isExtern);
  bool parseParameterList(std::vector<ir::Variable> &params);
  bool parseTuning(ir::Function &function);
  bool parseBody(ir::Function &function);
  bool parseStatement(ir::Function &function);
  bool parseRegisters(ir::Function &function);
  bool parseLabel(ir::Function &function);
  bool parseLabelList(ir::Function &function, llvm::StringRef name);
  bool parseDirective(ir::Function &function);

  // ParserInstruction.cpp
  bool parseInstruction(ir::Function &function);
  bool parseOperand(ir::Function &function, ir::Operand &out, unsigned depth);
  bool parseSimpleOperand(ir::Function &function, ir::Operand &out);
  bool parseAddress(ir::Function &function, ir::Operand &out, unsigned depth);
  bool parseList(ir::Function &function, ir::Operand &out, char close,
                 unsigned depth);
  bool findRegister(ir::Function &function, llvm::StringRef name,
                    uint32_t &index);

  // Resolve.cpp: symbols of operands, after the function or module is known.
  bool resolveFunction(ir::Function &function);
  bool resolveOperand(ir::Function &function, const ir::Instruction &inst,
                      ir::Operand &op);
  bool checkReferences();
  llvm::StringRef own(std::string name);

  /// What a pair of braces in a body declares.
  struct Range {
    uint64_t count;
    ir::Type type;
  };
  struct Scope {
    int parent = -1;
    llvm::StringMap<uint32_t> registers;
    llvm::StringMap<Range> ranges;
    llvm::StringMap<llvm::StringRef> variables; ///< To the unique name.
    llvm::StringMap<uint32_t> labels;           ///< To the instruction index.
  };

  ir::Module module;
  llvm::StringRef text;
  Lexer lexer;
  Token token;
  std::vector<Scope> scopes; ///< Of the function being parsed.
  std::vector<int> scopeStack;
  llvm::StringSet<> bodyNames; ///< Of the variables of all functions so far.
  std::vector<std::pair<llvm::StringRef, uint32_t>> lateNames;
  bool failed = false;
  std::string message;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_PARSE_PARSER_H
