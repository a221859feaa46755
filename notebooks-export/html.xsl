<?xml version="1.0" encoding="UTF-8"?>
<!-- Reports as one self-contained page: no script, no network. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:view="urn:netbound:view"
    exclude-result-prefixes="view">

  <view:wants rows="1000" hidden="yes" charts="yes" formulas="yes"/>

  <xsl:output method="html" encoding="UTF-8" indent="no"/>

  <xsl:include href="parts/chart.xsl"/>
  <xsl:include href="parts/chart_marks.xsl"/>
  <xsl:include href="parts/chart_style.xsl"/>
  <xsl:include href="parts/page_summary.xsl"/>
  <xsl:include href="parts/page_report.xsl"/>
  <xsl:include href="parts/page_answer.xsl"/>
  <xsl:include href="parts/page_table.xsl"/>
  <xsl:include href="parts/page_style.xsl"/>

  <xsl:variable name="alone" select="count(/view/report) = 1"/>
  <!-- The level of a section's heading. -->
  <xsl:variable name="level" select="3 - $alone"/>
  <xsl:variable name="heading" select="concat('h', $level)"/>
  <xsl:variable name="subheading" select="concat('h', $level + 1)"/>

  <xsl:template match="/">
    <!-- The output method html would write an older doctype. -->
    <xsl:text disable-output-escaping="yes">&lt;!DOCTYPE html&gt;&#10;</xsl:text>
    <html lang="en">
      <head>
        <meta http-equiv="Content-Type" content="text/html; charset=UTF-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <meta name="generator" content="{view/@program}"/>
        <title>
          <xsl:choose>
            <xsl:when test="$alone"><xsl:value-of select="view/report/@title"/></xsl:when>
            <xsl:otherwise>
              <xsl:value-of select="concat(count(view/report), ' reports of netbound')"/>
            </xsl:otherwise>
          </xsl:choose>
        </title>
        <style><xsl:call-template name="page-style"/></style>
      </head>
      <body>
        <a class="skip" href="#answer">Skip to the answer</a>
        <xsl:apply-templates select="view"/>
        <footer>
          <p>Made by <xsl:value-of select="view/@program"/>. Point at a mark
          or a number to read it in full.</p>
        </footer>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="view[count(report) = 1]">
    <xsl:apply-templates select="report" mode="head">
      <xsl:with-param name="heading" select="'h1'"/>
    </xsl:apply-templates>
    <main id="answer">
      <xsl:apply-templates select="report"/>
    </main>
  </xsl:template>

  <xsl:template match="view">
    <header class="top overview">
      <p class="command">netbound</p>
      <h1><xsl:value-of select="concat(count(report), ' reports')"/></h1>
      <nav aria-labelledby="summary-caption">
        <xsl:apply-templates select="." mode="summary"/>
      </nav>
    </header>
    <main id="answer">
      <xsl:for-each select="report">
        <article id="{@id}" aria-labelledby="{@id}-name">
          <xsl:apply-templates select="." mode="head">
            <xsl:with-param name="heading" select="'h2'"/>
          </xsl:apply-templates>
          <xsl:apply-templates select="."/>
        </article>
      </xsl:for-each>
    </main>
  </xsl:template>
</xsl:stylesheet>
