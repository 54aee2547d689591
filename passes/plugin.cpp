/*
 * The new pass manager's entry points: C++, since LLVM has no C interface for them. It makes pass objects for the rows
 * of passes.def, and turns the C side's diagnostics and remarks into LLVM's. No logic beside
 * that; see passes/session.c.
 */
#include <memory>
#include <string>
#include <utility>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#include "llvm/Support/Signals.h"
#include "llvm/TargetParser/Triple.h"

#include "heddle/version.h"
#include "passes/session.h"

using namespace llvm;

namespace
{

// A message without a place.
class Note : public DiagnosticInfo
{
	const char *Text;

      public:
	Note(const char *Text, DiagnosticSeverity Severity) : DiagnosticInfo(kind(), Severity), Text(Text)
	{
	}
	static int kind()
	{
		static const int Kind = getNextAvailablePluginDiagnosticKind();
		return Kind;
	}
	void print(DiagnosticPrinter &Printer) const override
	{
		Printer << Text;
	}
};

// A location of a file that LLVM knows nothing about: it needs a scope that says the file.
DebugLoc locate(LLVMContext &Context, const char *File, unsigned Line, unsigned Column)
{
	DIFile *Source = DIFile::get(Context, File, "");
	auto *Scope = DISubprogram::getDistinct(Context, Source, "", "", Source, 0, nullptr, 0, nullptr, 0, 0,
						DINode::FlagZero, DISubprogram::SPFlagZero, nullptr);
	return DILocation::get(Context, Line, Column, Scope);
}

// Clang makes its own diagnostics of these, with the source line. Returns whether the host took it.
bool offer(Module &M, DiagnosticSeverity Severity, const char *File, unsigned Line, unsigned Column,
	   const char *Message)
{
	LLVMContext &Context = M.getContext();
	auto *Handler = const_cast<DiagnosticHandler *>(Context.getDiagHandlerPtr());
	if (!Handler)
		return false;
	if (!File || M.empty())
		return Handler->handleDiagnostics(Note(Message, Severity));
	return Handler->handleDiagnostics(
		DiagnosticInfoUnsupported(*M.begin(), Message, locate(Context, File, Line, Column), Severity));
}

bool diagnose(LLVMModuleRef Module, int Severity, const char *File, unsigned Line, unsigned Column, const char *Message)
{
	static const DiagnosticSeverity Severities[] = {DS_Note, DS_Warning, DS_Error};
	return offer(*unwrap(Module), Severities[Severity], File, Line, Column, Message);
}

// Ends opt with its own exit status.
void fail(LLVMModuleRef Module)
{
	unwrap(Module)->getContext().diagnose(Note("heddle stopped, nothing was written", DS_Error));
}

bool wantsRemarks(LLVMModuleRef Module, const char *Pass)
{
	LLVMContext &Context = unwrap(Module)->getContext();
	const DiagnosticHandler *Handler = Context.getDiagHandlerPtr();
	return Context.getLLVMRemarkStreamer() || (Handler && Handler->isAnyRemarkEnabled(Pass));
}

// A place in the function, whichever file it was inlined or included from.
DiagnosticLocation placeIn(Function &F, const char *File, unsigned Line, unsigned Column)
{
	LLVMContext &Context = F.getContext();
	DISubprogram *Subprogram = F.getSubprogram();
	if (!File)
		return DiagnosticLocation(Subprogram);
	if (!Subprogram)
		return DiagnosticLocation(locate(Context, File, Line, Column));
	auto *Scope = DILexicalBlockFile::get(Context, Subprogram, DIFile::get(Context, File, ""), 0);
	return DiagnosticLocation(DebugLoc(DILocation::get(Context, Line, Column, Scope)));
}

void remark(LLVMValueRef Function, const char *Pass, const char *Name, const char *File, unsigned Line, unsigned Column,
	    const hd_remark_part *Parts, unsigned Count)
{
	auto &F = *unwrap<llvm::Function>(Function);
	OptimizationRemarkEmitter Emitter(&F);
	Emitter.emit([&] {
		OptimizationRemarkAnalysis Remark(Pass, Name, placeIn(F, File, Line, Column), &F.getEntryBlock());
		for (const hd_remark_part *Part = Parts; Part != Parts + Count; ++Part) {
			if (Part->key)
				Remark << ore::NV(Part->key, StringRef(Part->text));
			else
				Remark << StringRef(Part->text);
		}
		return Remark;
	});
}

// Only where the variable is the value itself, or a part of the variable is.
const char *variable(LLVMValueRef Value)
{
	SmallVector<DbgVariableRecord *> Records;
#if LLVM_VERSION_MAJOR >= 22
	findDbgValues(unwrap(Value), Records);
#else
	SmallVector<DbgValueInst *> Calls;
	findDbgValues(Calls, unwrap(Value), &Records);
#endif
	for (DbgVariableRecord *Record : Records) {
		DIExpression *Expression = Record->getExpression();
		bool Whole = Expression->getNumElements() == (Expression->isFragment() ? 3 : 0);
		if (Whole && !Record->getVariable()->getName().empty())
			return Record->getVariable()->getName().data();
	}
	return nullptr;
}

const hd_host Host = {diagnose, wantsRemarks, remark, variable, fail};

// Passes that belong to one pipeline element share its session.
using Session = std::shared_ptr<hd_session>;

Session makeSession(const char *Parameters, bool Implicit)
{
	return Session(hd_session_new(Parameters, Implicit, &Host), hd_session_free);
}

// A row of passes.def. An instance for each row, so that each has its own name under -time-passes.
template <unsigned Row>
struct Step : PassInfoMixin<Step<Row>> {
	Session Shared;

	explicit Step(Session Shared) : Shared(std::move(Shared))
	{
	}
	static StringRef name()
	{
		return hd_session_title(Row);
	}
	static bool isRequired()
	{
		return true;
	}
	PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
	{
		hd_session_step(Shared.get(), wrap(&M), Row);
		return PreservedAnalyses::all();
	}
};

struct Printer : PassInfoMixin<Printer> {
	Session Own;
	unsigned Row;

	Printer(Session Own, unsigned Row) : Own(std::move(Own)), Row(Row)
	{
	}
	static StringRef name()
	{
		return "heddle-print";
	}
	static bool isRequired()
	{
		return true;
	}
	PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
	{
		hd_session_print(Own.get(), wrap(&M), Row);
		return PreservedAnalyses::all();
	}
};

// What has to be done before LLVM's own passes.
struct Prepare : PassInfoMixin<Prepare> {
	static StringRef name()
	{
		return "heddle-prepare";
	}
	static bool isRequired()
	{
		return true;
	}
	PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
	{
		hd_session_prepare(wrap(&M));
		return PreservedAnalyses::none();
	}
};

// nvcc's device compiler copies no loop around others but as a whole, before this. LLVM's last unrolling would.
struct KeepOuterLoops : PassInfoMixin<KeepOuterLoops> {
	static StringRef name()
	{
		return "heddle-keep-outer-loops";
	}
	PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM)
	{
		if (!Triple(F.getParent()->getTargetTriple()).isNVPTX())
			return PreservedAnalyses::all();
		for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
			if (!L->isInnermost() && !isTold(L->getLoopID()))
				L->setLoopAlreadyUnrolled();
		return PreservedAnalyses::all();
	}

      private:
	static bool isTold(MDNode *Loop)
	{
		for (unsigned I = 1; Loop && I < Loop->getNumOperands(); I++) {
			auto *Option = dyn_cast<MDNode>(Loop->getOperand(I));
			auto *Name = Option && Option->getNumOperands() ? dyn_cast<MDString>(Option->getOperand(0))
									: nullptr;
			if (Name && Name->getString().starts_with("llvm.loop.unroll"))
				return true;
		}
		return false;
	}
};

template <unsigned... Row>
void addSteps(ModulePassManager &MPM, const Session &Shared, std::integer_sequence<unsigned, Row...>)
{
	unsigned long long Rows = hd_session_rows();
	((Rows >> Row & 1 ? MPM.addPass(Step<Row>(Shared)) : void()), ...);
}

void addAll(ModulePassManager &MPM, const char *Parameters, bool Implicit)
{
	addSteps(MPM, makeSession(Parameters, Implicit), std::make_integer_sequence<unsigned, HD_SESSION_ROWS>());
}

bool parseElement(StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>)
{
	unsigned Row;
	const char *Parameters;
	std::string Text = Name.str();
	switch (hd_request_parse(Text.c_str(), &Row, &Parameters)) {
	case HD_REQUEST_RUN: addAll(MPM, Parameters, false); return true;
	case HD_REQUEST_PRINT: MPM.addPass(Printer(makeSession(Parameters, false), Row)); return true;
	case HD_REQUEST_NONE: break;
	}
	return false;
}

void registerPasses(PassBuilder &PB)
{
	PB.registerPipelineParsingCallback(parseElement);
	PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(Prepare()); });
	PB.registerVectorizerStartEPCallback(
		[](FunctionPassManager &FPM, OptimizationLevel) { FPM.addPass(KeepOuterLoops()); });
	// From LLVM 20 on there is a third argument: the phase of link-time optimization.
	PB.registerOptimizerLastEPCallback(
		[](ModulePassManager &MPM, OptimizationLevel, auto...) { addAll(MPM, nullptr, true); });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	hd_session_end_without_memory(sys::RunInterruptHandlers);
	return {LLVM_PLUGIN_API_VERSION, "heddle", HD_VERSION, registerPasses};
}
