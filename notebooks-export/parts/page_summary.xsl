<?xml version="1.0" encoding="UTF-8"?>
<!-- The summary of several reports: a table that fits one printed page. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <!-- The rows that fit one page of A4 or letter paper: few in letters of 8
       points, or most in smaller ones. page_style.xsl leaves out the others. -->
  <xsl:variable name="few-reports" select="20"/>
  <xsl:variable name="most-reports" select="30"/>

  <xsl:template match="view" mode="summary">
    <xsl:variable name="judged" select="report[note[@name = 'verdict'] or verified or @digest = 'broken']"/>
    <div class="scroll" role="region" tabindex="0" aria-labelledby="summary-caption">
      <table class="summary">
        <xsl:if test="count(report) &gt; $few-reports">
          <xsl:attribute name="class">summary many</xsl:attribute>
        </xsl:if>
        <caption id="summary-caption">
          <xsl:text>Summary</xsl:text>
          <xsl:if test="count(report) &gt; $most-reports">
            <span class="on-paper">
              <xsl:value-of select="concat(': the first ', $most-reports, ' of ', count(report), ' reports')"/>
            </span>
          </xsl:if>
        </caption>
        <thead>
          <tr>
            <th scope="col">report</th>
            <th scope="col">first quantity</th>
            <th scope="col">saturation, or second quantity</th>
            <xsl:if test="$judged">
              <th scope="col">verdict</th>
            </xsl:if>
          </tr>
        </thead>
        <tbody>
          <xsl:for-each select="report">
            <tr>
              <th scope="row">
                <div class="cut"><a href="#{@id}"><xsl:value-of select="@title"/></a></div>
              </th>
              <td><xsl:apply-templates select="principal[1]"/></td>
              <td><xsl:apply-templates select="principal[2]"/></td>
              <xsl:if test="$judged">
                <td><xsl:apply-templates select="." mode="judged"/></td>
              </xsl:if>
            </tr>
          </xsl:for-each>
        </tbody>
      </table>
    </div>
  </xsl:template>

  <!-- mean latency 6 cycles in [5.999999, 6.000001] -->
  <xsl:template match="principal">
    <div class="cut">
      <span class="name"><xsl:value-of select="translate(@name, '_', ' ')"/></span>
      <xsl:text> </xsl:text>
      <span class="value"><xsl:value-of select="."/></span>
      <xsl:if test="@unit != ''">
        <span class="unit"><xsl:value-of select="concat(' ', @unit)"/></span>
      </xsl:if>
      <xsl:if test="@sure != ''">
        <span class="sure"><xsl:value-of select="concat(', ', @sure)"/></span>
      </xsl:if>
    </div>
  </xsl:template>

  <xsl:template match="report" mode="judged">
    <div class="cut">
      <xsl:if test="@digest = 'broken'"><span class="bad">changed since it was written. </span></xsl:if>
      <xsl:if test="verified">verified. </xsl:if>
      <xsl:value-of select="note[@name = 'verdict'][1]"/>
      <xsl:if test="count(note[@name = 'verdict']) &gt; 1">
        <xsl:value-of select="concat(note[@name = 'verdict'][1]/@place, ' …')"/>
      </xsl:if>
    </div>
  </xsl:template>
</xsl:stylesheet>
